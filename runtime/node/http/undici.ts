/**
 * `fetch`, `WebSocket` and whoever else uses undici, Node's own copy or the package: what it keeps
 * from one simulation to the next.
 *
 * Its connections belong to a global dispatcher, which is made anew. Its long timeouts are kept in
 * a list that one timer walks twice a second: those of connections are cleared when a simulation is
 * over, and the list is walked once more, so that the next simulation finds it empty.
 */

import { subscribe } from 'node:diagnostics_channel';
import { simulated } from '../simulated.js';
import type { Scheduler } from '../../tasks/scheduler.js';
import { stateOf } from '../state.js';

/** Where undici up to 7 has its global dispatcher, and undici 8, which leaves a wrapper for 7. */
const SEVENTH = Symbol.for('undici.globalDispatcher.1');
const EIGHTH = Symbol.for('undici.globalDispatcher.2');

type Dispatchers = Record<symbol, object | undefined>;
type Class = new (...args: unknown[]) => object;

/** A socket of undici's; by one of its symbols it has the parser, and that has a timer. */
type Socket = Record<symbol, { timeout?: { clear?: () => void } | null } | undefined>;

interface Used {
  readonly sockets: Socket[];
}

const used = new WeakMap<Scheduler, Used>();

export function installUndici(): void {
  subscribe('undici:client:beforeConnect', () => void use());
  subscribe('undici:client:connected', (message) => {
    use()?.sockets.push((message as { socket: Socket }).socket);
  });
}

function use(): Used | undefined {
  const scheduler = simulated();
  if (scheduler === undefined) return undefined;
  let one = used.get(scheduler);
  if (one === undefined) {
    used.set(scheduler, (one = { sockets: [] }));
    scheduler.endings.push(() => end(scheduler));
  }
  return one;
}

function end(scheduler: Scheduler): void {
  for (const socket of used.get(scheduler)!.sockets) {
    for (const key of Object.getOwnPropertySymbols(socket)) {
      if (key.description === 'parser') socket[key]?.timeout?.clear?.();
    }
  }
  for (const tick of stateOf(scheduler).undiciTicks) tick();
  renewDispatchers();
}

/** Replaces the dispatchers that undici has made by new ones, which have no connections. */
export function renewDispatchers(): void {
  const globals = globalThis as unknown as Dispatchers;
  for (const key of [SEVENTH, EIGHTH]) {
    const before = globals[key];
    if (isDefault(before)) globals[key] = new (before.constructor as Class)();
  }
  const wrapper = globals[SEVENTH];
  if (wrapper?.constructor.name !== 'Dispatcher1Wrapper' || !isDefault(globals[EIGHTH])) return;
  globals[SEVENTH] = new (wrapper.constructor as Class)(globals[EIGHTH]);
}

/** Whether a dispatcher is the one that undici makes when nobody has set another. */
function isDefault(dispatcher: object | undefined): dispatcher is object {
  return dispatcher?.constructor.name === 'Agent';
}

/** Whether a dispatcher of the program's own answers, when a call gives this one or none. */
export function answersItself(given: object | undefined): boolean {
  const globals = globalThis as unknown as Dispatchers;
  const dispatcher = given ?? globals[EIGHTH] ?? globals[SEVENTH];
  return dispatcher !== undefined && !isDefault(dispatcher);
}
