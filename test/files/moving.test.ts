/**
 * What many bytes take: a small file is read before a big one that was begun earlier, as on real
 * disks, and a quick disk is a choice.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { Kind, noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { NODE } from '../../runtime/kernel/rung.js';
import { simulate } from '../node/simulate.js';

const BIG = 3_000_000;

const quick: Strategy = { ...noDeviation, strikes: (kind) => kind === Kind.Quick };

type Log = (line: string) => void;

/** The lines that `main` logs; it is given a folder with a big and a small file. */
function inOrder(
  main: (log: Log, big: string, small: string) => Promise<unknown>,
  strategy = noDeviation,
): string[] {
  const lines: string[] = [];
  const { errors } = simulate(
    async () => {
      const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'moving-'));
      const [big, small] = [path.join(dir, 'big'), path.join(dir, 'small')];
      fs.writeFileSync(big, Buffer.alloc(BIG));
      fs.writeFileSync(small, 'small');
      await main((line) => lines.push(line), big, small);
    },
    { strategy, rung: NODE },
  );
  expect(errors).to.deep.equal([]);
  return lines;
}

function called(begin: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    begin((error) => (error === null ? resolve() : reject(error)));
  });
}

describe('many bytes', () => {
  const both = { big: BIG, small: 1 };
  const ways: Record<string, (file: string, bytes: number) => Promise<unknown>> = {
    'fs.readFile': (file) => called((done) => fs.readFile(file, done)),
    'fs.promises.readFile': (file) => fs.promises.readFile(file),
    'fs.createReadStream': (file) => fs.createReadStream(file).resume().toArray(),
    'FileHandle.readv': async (file, bytes) => {
      const handle = await fs.promises.open(file);
      await handle.readv([Buffer.alloc(bytes)], 0);
      await handle.close();
    },
    'fs.writeFile': (file, bytes) =>
      called((done) => fs.writeFile(`${file}2`, Buffer.alloc(bytes), done)),
    'fs.promises.writeFile of text': (file, bytes) =>
      fs.promises.writeFile(`${file}2`, 'x'.repeat(bytes)),
    'fs.createWriteStream': (file, bytes) =>
      called((done) => {
        const stream = fs.createWriteStream(`${file}2`);
        stream.on('finish', () => done(null));
        Readable.from([Buffer.alloc(bytes)]).pipe(stream);
      }),
    'fs.promises.copyFile': (file) => fs.promises.copyFile(file, `${file}2`),
  };
  for (const [name, move] of Object.entries(ways)) {
    it(`of ${name} take longer than a few`, () => {
      const lines = inOrder((log, big, small) =>
        Promise.all([
          move(big, both.big).then(() => log('big')),
          move(small, both.small).then(() => log('small')),
        ]),
      );
      expect(lines).to.deep.equal(['small', 'big']);
    });
  }

  it('take longer than 1 ms, and less on a quick disk', () => {
    const race = (log: Log, big: string): Promise<unknown> =>
      Promise.all([
        called((done) => setTimeout(done, 0, null)).then(() => log('timer')),
        fs.promises.readFile(big).then(() => log('file')),
      ]);
    expect(inOrder(race)).to.deep.equal(['timer', 'file']);
    expect(inOrder(race, quick)).to.deep.equal(['file', 'timer']);
  });

  it('are what is there, not what is asked for', () => {
    const lines = inOrder(async (log, _big, small) => {
      const handle = await fs.promises.open(small);
      const read = (bytes: number): Promise<void> =>
        handle.read(Buffer.alloc(bytes), 0, bytes, 0).then(() => log(`${bytes}`));
      await Promise.all([read(BIG), read(1)]);
      await handle.close();
    });
    expect(lines).to.deep.equal([`${BIG}`, '1']);
  });

  it('of few no disk is asked whether it is quick', () => {
    const asked: Kind[] = [];
    const asks: Strategy = { ...noDeviation, strikes: (kind) => (asked.push(kind), false) };
    inOrder((_log, _big, small) => fs.promises.readFile(small), asks);
    expect(asked).to.deep.equal([]);
  });

  it('of many it is asked once in a test', () => {
    const asked: Kind[] = [];
    const asks: Strategy = { ...noDeviation, strikes: (kind) => (asked.push(kind), false) };
    inOrder(async (_log, big) => {
      await fs.promises.readFile(big);
      await fs.promises.copyFile(big, `${big}2`);
    }, asks);
    expect(asked).to.deep.equal([Kind.Quick]);
  });
});
