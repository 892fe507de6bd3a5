/**
 * `WebAssembly.compile` and `instantiate`: other threads work at them, for which a simulation would
 * wait in vain. There they work at once. So they do for undici, Node's own copy or the package: it
 * compiles its parser when it is loaded, and the first simulation may begin right after that.
 */

import { patch } from '../facade.js';
import { pristine } from '../pristine.js';
import { simulated } from '../simulated.js';

const { apply } = Reflect;

/** What of it is needed here: it is no part of @types/node. */
interface WebAssembly {
  readonly Module: new (bytes: unknown) => object;
  readonly Instance: new (module: object, imports?: unknown) => object;
}

type AnyFunction = (...args: any[]) => any;

/** Does nothing where the engine has none, as with `--jitless`. */
export function installWebAssembly(): void {
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssembly | undefined };
  if (WebAssembly === undefined) return;
  const { Module, Instance } = WebAssembly;
  patch(WebAssembly, 'compile', 'WebAssembly.compile', (real) =>
    atOnce(real, (bytes: unknown) => new Module(bytes)),
  );
  patch(WebAssembly, 'instantiate', 'WebAssembly.instantiate', (real) =>
    atOnce(real, (source: unknown, imports?: unknown) => {
      if (source instanceof Module) return new Instance(source, imports);
      const module = new Module(source);
      return { module, instance: new Instance(module, imports) };
    }),
  );
}

function atOnce(real: AnyFunction, run: AnyFunction): AnyFunction {
  return function (this: unknown, ...args: unknown[]) {
    if (simulated() === undefined && !isUndici()) return apply(real, this, args) as unknown;
    return new pristine.Promise((resolve) => resolve(run(...args)));
  };
}

function isUndici(): boolean {
  return new Error().stack?.includes('undici') === true;
}
