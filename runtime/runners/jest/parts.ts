/** The parts of the project's jest that do not depend on its own runner. */

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

export interface JestExpect {
  setState(state: Record<string, unknown>): void;
  extractExpectedAssertionsErrors(): { error: Error }[];
}

export interface JestObject {
  restoreAllMocks(): void;
  useRealTimers(): unknown;
  [name: string]: unknown;
}

interface ModuleMocker {
  restoreAllMocks(): void;
  clearAllMocks(): void;
  resetAllMocks(): void;
  [name: string]: any;
}

interface FakeTimers {
  useFakeTimers(config?: unknown): void;
  useRealTimers(): void;
  [name: string]: any;
}

/** Who depends on whom, down to the parts: each is looked for from the folder of the one before. */
const CHAIN = ['jest', '@jest/core', 'jest-config', 'jest-circus', 'jest-runtime'];

const REFUSED = ['mock', 'doMock', 'unmock', 'dontMock', 'unstable_mockModule', 'setMock']
  .concat(['requireActual', 'requireMock', 'isolateModules', 'isolateModulesAsync'])
  .concat(['createMockFromModule', 'enableAutomock', 'disableAutomock', 'resetModules']);

const FROM_MOCKER = ['fn', 'spyOn', 'mocked', 'replaceProperty', 'isMockFunction'];
const FROM_TIMERS = ['advanceTimersByTime', 'advanceTimersByTimeAsync', 'advanceTimersToNextTimer']
  .concat(['advanceTimersToNextTimerAsync', 'advanceTimersToNextFrame', 'clearAllTimers'])
  .concat(['getTimerCount', 'now', 'getRealSystemTime', 'runAllTicks', 'runAllTimers'])
  .concat(['runAllTimersAsync', 'runOnlyPendingTimers', 'runOnlyPendingTimersAsync'])
  .concat(['setSystemTime']);

/**
 * Loads `expect` and makes the object `jest`.
 * @param setTimeout what `jest.setTimeout` does
 * @throws an error for the user when the project has no jest
 */
export function jestParts(
  root: string,
  setTimeout: (ms: number) => void,
): { expect: JestExpect; jest: JestObject } {
  const from = finder(root);
  const { jestExpect } = from('@jest/expect') as { jestExpect: JestExpect };
  const { ModuleMocker: Mocker } = from('jest-mock') as {
    ModuleMocker: new (global: unknown) => ModuleMocker;
  };
  const { ModernFakeTimers } = from('@jest/fake-timers') as {
    ModernFakeTimers: new (options: object) => FakeTimers;
  };
  const mocker = new Mocker(globalThis);
  const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });
  const jest: JestObject = {
    ...methods(mocker, FROM_MOCKER),
    ...methods(timers, FROM_TIMERS),
    ...Object.fromEntries(REFUSED.map((name) => [name, refuse(name)])),
    restoreAllMocks: () => (mocker.restoreAllMocks(), jest),
    clearAllMocks: () => (mocker.clearAllMocks(), jest),
    resetAllMocks: () => (mocker.resetAllMocks(), jest),
    useFakeTimers: (config?: unknown) => (timers.useFakeTimers(config), jest),
    useRealTimers: () => (timers.useRealTimers(), jest),
    setTimeout: (ms: number) => (setTimeout(ms), jest),
    retryTimes: () => jest,
  };
  return { expect: jestExpect, jest };
}

function methods(of: Record<string, any>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names
      .filter((name) => typeof of[name] === 'function')
      .map((name) => [name, (of[name] as (...args: unknown[]) => unknown).bind(of)]),
  );
}

function refuse(name: string): () => never {
  return () => {
    throw new Error(
      `jest.${name} is not available under detsim: modules are loaded without jest. Hand the ` +
        'stand-in to the code under test, or keep this file out of the sweep with "tests" of the ' +
        'config.',
    );
  };
}

/** Finds what a package manager has put where only its dependents see it. */
function finder(root: string): (name: string) => unknown {
  const requires = [createRequire(path.join(root, 'package.json'))];
  for (const name of CHAIN) {
    const manifest = resolved(requires, `${name}/package.json`);
    if (manifest === undefined && name === 'jest') {
      throw new Error(
        `The project in ${root} has no jest. detsim runs its tests with the project's own ` +
          '`expect` and mocks: install it there (npm install --save-dev jest).',
      );
    }
    if (manifest !== undefined) requires.unshift(createRequire(fs.realpathSync(manifest)));
  }
  return (name) => {
    const file = resolved(requires, name);
    if (file !== undefined) return requires[0]!(file) as unknown;
    throw new Error(`The project's jest has no ${name}: detsim knows jest 29 and later.`);
  };
}

function resolved(requires: readonly NodeJS.Require[], request: string): string | undefined {
  for (const require of requires) {
    try {
      return require.resolve(request);
    } catch {
      // The next one may see it.
    }
  }
  return undefined;
}
