/**
 * Records what a real PostgreSQL answers to the scripts: `node dist/test/postgres/record.js PORT`,
 * with a server on that port of this machine that lets the user postgres in.
 */

import fs from 'node:fs';
import { play } from './script.js';
import { names, recordedFile, script } from './scripts.js';

async function record(port: number): Promise<void> {
  for (const name of names) {
    fs.writeFileSync(recordedFile(name), await play(script(name), { port, patience: 300 }));
  }
}

void record(Number(process.argv[2]));
