/**
 * What a simulation knows of a promise of the program's: whether it stands in for I/O, and the
 * promise that settles after it once somebody waits longer.
 *
 * A note is a private field on the promise itself: programs cannot see it, and unlike an entry of a
 * weak map it costs next to nothing, neither to make nor to the garbage collector.
 */

export class PromiseNote {
  /** It stands in for I/O, and its latency has not been decided. */
  standIn = false;
  /** Its stand-in has set a timer, from which it has its latency. */
  timed = false;
  /** Settles after the promise: what everybody who waits for it is given. */
  later: Promise<unknown> | undefined = undefined;

  /** @param owner the simulation that makes the note; another one takes no notice of it */
  constructor(readonly owner: object) {}
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

/** The same, and a new note where there is none. */
export function takeNote(owner: object, promise: object): PromiseNote {
  const known = noteOf(owner, promise);
  if (known !== undefined) return known;
  const note = new PromiseNote(owner);
  try {
    Noted.set(promise, note);
  } catch {
    // Newer engines let nothing be added to a frozen object: it goes without a note.
  }
  return note;
}
