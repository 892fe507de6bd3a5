/** The scripts there are, and what a real PostgreSQL answered to them. */

import fs from 'node:fs';
import path from 'node:path';

const folder = path.join(__dirname, '..', '..', '..', 'test', 'fixtures', 'postgres');

export const names = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith('.script'))
  .map((name) => name.replace(/\.script$/, ''));

export const script = (name: string) =>
  fs.readFileSync(path.join(folder, `${name}.script`), 'utf8');
export const recordedFile = (name: string) => path.join(folder, `${name}.recorded`);
