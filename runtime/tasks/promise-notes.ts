/**
 * What a simulation knows of a promise of the program's: whether it stands in for I/O, and the
 * promise that settles after it once somebody waits longer.
 *
 * A note is a private field on the promise itself: programs cannot see it, and unlike an entry of a
 * weak map it costs next to nothing, neither to make nor to the garbage collector.
 */

export class PromiseNote {
  // Assigning in the constructor is quicker than class fields are.
  /** The simulation that has made the note; another one takes no notice of it. */
  declare readonly owner: object;
  /** It stands in for I/O, and its latency has not been decided. */
  declare standIn: boolean;
  /** Its stand-in has set a timer, from which it has its latency. */
  declare timed: boolean;
  /** Settles after the promise: what everybody who waits for it is given. */
  declare later: Promise<unknown> | undefined;

  constructor(owner: object) {
    this.owner = owner;
    this.standIn = this.timed = false;
    this.later = undefined;
  }
}

/** A constructor that returns what it is given lets a subclass add its private fields to that. */
const Given = function (promise: object): object {
  return promise;
} as unknown as new (promise: object) => object;

class Noted extends Given {
  #note: PromiseNote;

  constructor(promise: object, note: PromiseNote) {
    super(promise);
    this.#note = note;
  }

  static of(owner: object, promise: object): PromiseNote | undefined {
    if (!(#note in promise)) return undefined;
    const note = promise.#note;
    return note.owner === owner ? note : undefined;
  }

  static set(promise: object, note: PromiseNote): void {
    if (#note in promise) promise.#note = note;
    else new Noted(promise, note);
  }
}

/** What `owner` knows of `promise`. */
export const noteOf = Noted.of;

/** Makes a note of `owner` about a promise of which it knows nothing. */
export function makeNote(owner: object, promise: object): PromiseNote {
  const note = new PromiseNote(owner);
  try {
    Noted.set(promise, note);
  } catch {
    // Newer engines let nothing be added to a frozen object: it goes without a note.
  }
  return note;
}
