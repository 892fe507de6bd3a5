/**
 * The errors a user of detsim meets inside a simulation. Each is one paragraph: what is wrong,
 * where, and what to do; what a report needs beyond that is in fields.
 */

import { ruleCodeOf } from './rule-codes.js';

/** A task that waits, as a deadlock report shows it. */
export interface BlockedTask {
  /** Spawn path of the task; the empty string is the test itself. */
  readonly name: string;
  /** What it waits for: the source text of the operand. */
  readonly waitsFor: string;
  /** `file:line:column` of the place where it waits; empty when that is not known. */
  readonly position: string;
  /** The logical stack, innermost frame first: `function (file:line:column)`. */
  readonly stack: readonly string[];
}

/** Nothing can run any more, and nothing outside the simulation is pending either. */
export class DeadlockError extends Error {
  static {
    DeadlockError.prototype.name = 'DeadlockError';
  }

  constructor(readonly blocked: readonly BlockedTask[]) {
    super(deadlockMessage(blocked));
  }
}

function deadlockMessage(blocked: readonly BlockedTask[]): string {
  if (blocked.length === 0) {
    return (
      'nothing can run any more: no timer, message or other event is pending, and what the test ' +
      'waits for never happens'
    );
  }
  const lines = blocked.map((task) => {
    const name = task.name === '' ? 'the test' : task.name;
    const at = task.position === '' ? '' : ` at ${task.position}`;
    const head = `  ${name} waits for ${task.waitsFor}${at}`;
    return [head, ...task.stack.map((line) => `      in ${line}`)].join('\n');
  });
  const count = blocked.length === 1 ? '1 task waits' : `${blocked.length} tasks wait`;
  return `nothing can run any more, and ${count} for what never happens:\n${lines.join('\n')}`;
}

/** A channel that was closed was sent to, or closed again. */
export class ChannelClosedError extends Error {
  static {
    ChannelClosedError.prototype.name = 'ChannelClosedError';
  }

  constructor(what: 'sent to' | 'closed') {
    super(
      `A channel was ${what} after it had been closed. Let the task that sends last close it, once.`,
    );
  }
}

/** A lock was given back, or waited on, that nobody holds. */
export class UnlockError extends Error {
  static {
    UnlockError.prototype.name = 'UnlockError';
  }

  /** @param what for instance `A Mutex was unlocked` */
  constructor(what: string) {
    super(`${what} while nobody held the lock. Await the lock before, and give it back once.`);
  }
}

/** The step budget is spent. */
export class LivelockError extends Error {
  static {
    LivelockError.prototype.name = 'LivelockError';
  }

  constructor(
    /** How many events ran. */
    readonly steps: number,
    /** Virtual time that passed meanwhile, in nanoseconds. */
    readonly elapsed: number,
  ) {
    const moved = elapsed === 0 ? 'while virtual time stood still' : `in ${elapsed / 1e6} ms`;
    super(
      `${steps} events ran ${moved} and the test has not ended: it goes round in circles. ` +
        'Look for a loop that waits for something by setImmediate, nextTick or a zero timeout.',
    );
  }
}

/** Code in a simulation called something that detsim cannot simulate. */
export class UncontrolledError extends Error {
  static {
    UncontrolledError.prototype.name = 'UncontrolledError';
  }
  readonly code = 'ERR_DETSIM_UNCONTROLLED';
  /** The rule that marks such a call in an editor and in `detsim check`, for instance `DS1003`. */
  readonly rule: string | undefined;

  constructor(
    /** What was called, for instance `net.connect`. */
    readonly call: string,
    /** `file:line:column` of the call. */
    readonly position: string,
    /** The name or address that is none of the simulation's, where only that is wrong. */
    readonly destination?: string,
  ) {
    const rule = ruleCodeOf(call);
    const shownRule = rule === undefined ? '' : ` (${rule})`;
    super(
      destination === undefined
        ? `${call} at ${position} cannot be simulated${shownRule}: it would ` +
            'wait for the real world, and no seed could repeat that. Replace it by a ' +
            'stand-in in this test, or leave the test out of the sweep.'
        : `${call} at ${position} leaves the simulation: no host in it is called ${destination}. ` +
            'Add a host of that name or address, replace the call by a stand-in in this test, or ' +
            'list the name under "unreachable" in detsim.config.json: then nobody answers.',
    );
    this.rule = rule;
  }
}
