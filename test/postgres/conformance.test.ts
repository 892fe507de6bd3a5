/**
 * The stand-in answers as a real PostgreSQL does: what one answered to the scripts is recorded
 * beside them (by record.ts, from PostgreSQL 15).
 */

import fs from 'node:fs';
import { expect } from 'chai';
import { PostgresServer } from '../../standins/postgres/index.js';
import { play } from './script.js';
import { names, recordedFile, script } from './scripts.js';

describe('postgres: answers as recorded of PostgreSQL', () => {
  for (const name of names) {
    it(name, async function () {
      this.timeout(60_000);
      const server = await new PostgresServer().listen(0);
      try {
        const answers = await play(script(name), { port: server.address().port, patience: 30 });
        expect(answers).to.equal(fs.readFileSync(recordedFile(name), 'utf8'));
      } finally {
        await server.close();
      }
    });
  }
});
