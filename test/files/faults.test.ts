/**
 * Faults of a simulated disk: how they reach the program, and what a failure of the power leaves.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Kind, noDeviation, type Strategy } from '../../runtime/kernel/choice.js';
import { NODE } from '../../runtime/kernel/rung.js';
import type { FileFaults } from '../../runtime/node/faults.js';
import { powerMayFail } from '../../runtime/node/files/power.js';
import { simulate } from '../node/simulate.js';

/** Strikes whatever may strike, and loses all that can be lost. */
const always: Strategy = { ...noDeviation, strikes: () => true, value: () => 0.999 };

/** What `main` gives, on a disk with these faults from the time when `begin` is called. */
function on<T>(
  files: FileFaults,
  main: (dir: string, begin: () => void) => Promise<T> | T,
  strategy = always,
): T {
  let got: { value: T } | undefined;
  const { errors } = simulate(
    async (_log, scheduler) => {
      const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'faults-'));
      const begin = (): void => void (scheduler.faults = { files, sockets: {} });
      got = { value: await main(dir, begin) };
    },
    { strategy, rung: NODE },
  );
  expect(errors).to.deep.equal([]);
  return got!.value;
}

const codeOf = (error: unknown): unknown => (error as { code: unknown }).code;

describe('faults of files', () => {
  it('ENOSPC: nothing is made and nothing grows', () => {
    const seen = on({ noSpace: 1 }, async (dir, begin) => {
      fs.writeFileSync(`${dir}/old`, 'old');
      begin();
      const codes = [
        await fs.promises.writeFile(`${dir}/new`, 'x').catch(codeOf),
        await fs.promises.appendFile(`${dir}/old`, 'x').catch(codeOf),
      ];
      return [...codes, fs.readdirSync(dir), fs.readFileSync(`${dir}/old`, 'utf8')];
    });
    expect(seen).to.deep.equal(['ENOSPC', 'ENOSPC', ['old'], 'old']);
  });

  it('a full disk has room again when something is cut off', () => {
    const seen = on({ maxSize: 10 }, (dir, begin) => {
      begin();
      fs.writeFileSync(`${dir}/a`, '12345678');
      let code: unknown;
      try {
        fs.writeFileSync(`${dir}/b`, '12345678');
      } catch (error) {
        code = codeOf(error);
      }
      fs.truncateSync(`${dir}/a`, 1);
      fs.writeFileSync(`${dir}/b`, '12345678');
      return [code, fs.readFileSync(`${dir}/b`, 'utf8')];
    });
    expect(seen).to.deep.equal(['ENOSPC', '12345678']);
  });

  it('EIO names the call and the path', () => {
    const message = on({ ioError: 1 }, async (dir, begin) => {
      begin();
      const error = await fs.promises.writeFile(`${dir}/a`, 'x').catch((e: Error) => e);
      return (error as Error).message.replace(dir, 'DIR');
    });
    expect(message).to.equal("EIO: i/o error, open 'DIR/a'");
  });

  it('short reads and writes: Node goes on until all is there', () => {
    const seen = on({ short: 1 }, async (dir, begin) => {
      begin();
      const text = 'abcdefghij'.repeat(20);
      await fs.promises.writeFile(`${dir}/a`, text);
      const fd = fs.openSync(`${dir}/a`, 'r');
      const length = fs.readSync(fd, Buffer.alloc(200), 0, 200, 0);
      return [length < 200, fs.readFileSync(`${dir}/a`, 'utf8') === text];
    });
    expect(seen).to.deep.equal([true, true]);
  });
});

describe('a failure of the power', () => {
  it('loses what was not synced, and keeps what was', () => {
    const seen = on({}, (dir) => {
      const kept = fs.openSync(`${dir}/kept`, 'w');
      fs.writeSync(kept, 'kept');
      fs.fsyncSync(kept);
      fs.writeFileSync(`${dir}/lost`, 'lost');
      powerMayFail();
      return [fs.readdirSync(dir), fs.readFileSync(`${dir}/kept`, 'utf8')];
    });
    expect(seen).to.deep.equal([['kept'], 'kept']);
  });

  it('leaves an old file, or an empty new one, where it is renamed without a sync', () => {
    const after = (entriesAreLost: boolean): string => {
      const strikes = (kind: Kind, key: number): boolean =>
        kind === Kind.Crash || (kind === Kind.Lose && (entriesAreLost || key !== journal));
      let journal = 0;
      const main = (dir: string): string => {
        const file = `${dir}/a`;
        const old = fs.openSync(file, 'w');
        fs.writeSync(old, 'old');
        fs.fsyncSync(old);
        fs.writeFileSync(`${file}.tmp`, 'new');
        fs.renameSync(`${file}.tmp`, file);
        powerMayFail();
        return fs.readFileSync(file, 'utf8');
      };
      // The first to be asked for is the journal: it stands for changes of directories.
      const asked = (kind: Kind, key: number): boolean => {
        if (kind === Kind.Lose && journal === 0) journal = key;
        return strikes(kind, key);
      };
      return on({}, main, { ...always, strikes: asked });
    };
    expect(after(true)).to.equal('old');
    expect(after(false)).to.not.equal('new');
  });

  it('does nothing when it does not strike, nor outside a simulation', () => {
    const text = on(
      {},
      (dir) => {
        fs.writeFileSync(`${dir}/a`, 'text');
        powerMayFail();
        return fs.readFileSync(`${dir}/a`, 'utf8');
      },
      { ...noDeviation },
    );
    expect(text).to.equal('text');
    powerMayFail();
  });
});
