/**
 * Puts functions of detsim's in the place of Node's.
 *
 * A facade looks like the original in everything a program can ask for: name, length, prototype,
 * own properties and symbols (`util.promisify.custom` among them), and its text where the original
 * is native. One original always gets the same facade, so `globalThis.setTimeout` stays identical
 * to `timers.setTimeout`. What was replaced is kept in a list, for the inventory.
 */

const { apply, construct } = Reflect;
const functionToString = Function.prototype.toString;

type AnyFunction = (...args: any[]) => any;
type Key = string | symbol;

const facades = new Map<unknown, unknown>();
const originals = new Map<unknown, unknown>();
const replaced = new Map<string, unknown>();

/** Everything replaced so far: where it stands (`timers.setTimeout`) and what stands there now. */
export function patchedPlaces(): ReadonlyMap<string, unknown> {
  return replaced;
}

/** Whether `value` is a facade. */
export function isFacade(value: unknown): boolean {
  return originals.has(value);
}

/** Makes `replacement` look like `original`, and returns it. */
export function disguise<F>(original: F, replacement: F): F {
  const from = original as AnyFunction;
  const to = replacement as AnyFunction;
  Object.setPrototypeOf(to, Object.getPrototypeOf(from) as object);
  const own = Object.getOwnPropertyDescriptors(from) as Record<Key, PropertyDescriptor>;
  for (const key of Reflect.ownKeys(own)) {
    if (key === 'prototype' && !Object.hasOwn(to, key)) continue;
    Object.defineProperty(to, key, own[key]);
  }
  const text = apply(functionToString, from, []) as string;
  if (text.includes('[native code]')) {
    define(to, 'toString', { value: { toString: () => text }.toString, writable: true });
  }
  facades.set(original, replacement);
  originals.set(replacement, original);
  return replacement;
}

/**
 * Replaces a function-valued property where it is found on the prototype chain of `target`.
 * Does nothing when this Node version has no such property, or does not let it be replaced.
 * @param place how the inventory calls it
 */
export function patch<F extends AnyFunction>(
  target: object,
  key: Key,
  place: string,
  make: (original: F) => AnyFunction,
): void {
  const found = lookUp(target, key);
  if (found === undefined) return;
  const [holder, descriptor] = found;
  if (descriptor.configurable === false && descriptor.writable !== true) return;
  const original = valueOf(target, descriptor) as F;
  if (typeof original !== 'function' || isFacade(original)) return;
  const known = facades.get(original) as F | undefined;
  const facade = known ?? disguise(original, make(original) as F);
  define(holder, key, { value: facade, writable: true, enumerable: descriptor.enumerable });
  replaced.set(place, facade);
}

/**
 * Replaces a constructor by one that looks at the arguments first, and at what was made last.
 * @param before gets the arguments, and returns those for the real constructor; it may throw
 */
export function patchConstructor(
  target: object,
  key: string,
  place: string,
  before: (args: unknown[]) => unknown[],
  after: (made: object) => void = () => {},
): void {
  patch(target, key, place, (real: AnyFunction) => {
    const Real = real as unknown as new (...args: unknown[]) => object;
    function Facade(this: unknown, ...args: unknown[]): unknown {
      if (new.target === undefined) return apply(real, this, args) as unknown;
      const made = (new.target as unknown) === Facade ? Real : new.target;
      const object = construct(Real, before(args), made) as object;
      after(object);
      return object;
    }
    define(Real.prototype as object, 'constructor', { value: Facade, writable: true });
    return Facade;
  });
}

/** Replaces the getter of a property where it is found on the prototype chain of `target`. */
export function patchGetter<T>(
  target: object,
  key: Key,
  place: string,
  make: (original: (this: unknown) => T) => (this: unknown) => T,
): void {
  const found = lookUp(target, key);
  const get = found?.[1].get;
  if (found === undefined || get === undefined || isFacade(get)) return;
  const facade = disguise(get, make(get));
  define(found[0], key, { ...found[1], get: facade });
  replaced.set(place, facade);
}

function lookUp(target: object, key: Key): [object, PropertyDescriptor] | undefined {
  for (let at: object | null = target; at !== null; at = Object.getPrototypeOf(at) as object) {
    const descriptor = Object.getOwnPropertyDescriptor(at, key);
    if (descriptor !== undefined) return [at, descriptor];
  }
  return undefined;
}

function valueOf(target: object, descriptor: PropertyDescriptor): unknown {
  return descriptor.get === undefined ? descriptor.value : apply(descriptor.get, target, []);
}

function define(holder: object, key: Key, descriptor: PropertyDescriptor): void {
  Object.defineProperty(holder, key, { configurable: true, ...descriptor });
}
