/**
 * Reads the options of commands word by word.
 */

import { syntaxError } from '../reply.js';

export class Options {
  constructor(
    private readonly words: readonly string[],
    public position: number,
  ) {}

  get left(): number {
    return this.words.length - this.position;
  }

  /** The next word in lower case. */
  name(): string {
    return this.words[this.position++].toLowerCase();
  }

  /** The next word. It must be there. */
  value(): string {
    if (this.left === 0) return syntaxError();
    return this.words[this.position++];
  }

  /** Whether the next word is this one; it is read then. */
  is(name: string): boolean {
    const found = this.left > 0 && this.words[this.position].toLowerCase() === name;
    if (found) this.position++;
    return found;
  }

  rest(): string[] {
    return this.words.slice(this.position);
  }
}
