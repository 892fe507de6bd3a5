/**
 * The test whose failure is minimized: a lost update among many steps that have no part in it. Its
 * runs make about 2,000 decisions.
 */

export const LONG_SPEC = `import { expect } from 'chai';

async function remote(): Promise<void> {}

describe('a long test', () => {
  it('loses an update', async () => {
    let stored = 0;
    const add = async (): Promise<void> => {
      const value = stored;
      await remote();
      stored = value + 1;
    };
    const noise = async (steps: number): Promise<void> => {
      for (let i = 0; i < steps; i++) await remote();
    };
    const first = (async () => {
      await noise(20);
      await add();
    })();
    const second = (async () => {
      await noise(40);
      await add();
    })();
    const others = Array.from({ length: 20 }, () => noise(95));
    await Promise.all([first, second, ...others]);
    expect(stored).to.equal(2);
  });
});
`;
