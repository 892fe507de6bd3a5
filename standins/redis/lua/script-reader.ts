/**
 * What a compiler knows while it goes through a script: where it is, and which names stand for
 * which variables.
 */

import { Lexer, type Token } from './lexer.js';
import { LuaError } from './value.js';

interface FunctionScope {
  readonly variadic: boolean;
  /** Names of helper variables, declared at its head. */
  readonly temporaries: string[];
}

const NESTING_MAX = 190;

export class ScriptReader {
  protected readonly tokens: readonly Token[];
  protected position = 0;
  protected scopes: Map<string, string>[] = [];
  protected functions: FunctionScope[] = [];
  protected names = 0;
  private depth = 0;

  constructor(
    source: string,
    private readonly chunk: string,
  ) {
    this.tokens = new Lexer(source, chunk).tokens();
  }

  protected get token(): Token {
    return this.tokens[this.position];
  }

  protected is(symbol: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === symbol;
  }

  protected accept(symbol: string): boolean {
    const found = this.is(symbol);
    if (found) this.position++;
    return found;
  }

  protected expect(symbol: string, opener?: Token): void {
    if (this.accept(symbol)) return;
    const near = `near '${this.token.text}'`;
    if (opener === undefined || opener.line === this.token.line) {
      this.fail(`'${symbol}' expected ${near}`);
    }
    this.fail(`'${symbol}' expected (to close '${opener.text}' at line ${opener.line}) ${near}`);
  }

  protected name(): string {
    if (this.token.kind !== 'name') this.fail(`<name> expected near '${this.token.text}'`);
    return this.tokens[this.position++].text;
  }

  protected fail(message: string): never {
    throw new LuaError(`${this.chunk}:${this.token.line}: ${message}`);
  }

  protected fresh(name: string): string {
    return `${name}$${++this.names}`;
  }

  protected temporary(): string {
    const name = this.fresh('t');
    this.functions[this.functions.length - 1].temporaries.push(name);
    return name;
  }

  /** Ends a function, and declares its helpers. */
  protected temporaries(): string {
    const { temporaries } = this.functions.pop()!;
    return temporaries.length === 0 ? '' : `let ${temporaries.join(', ')}; `;
  }

  protected declare(name: string): string {
    const own = this.fresh(name);
    this.scopes[this.scopes.length - 1].set(name, own);
    return own;
  }

  protected lookUp(name: string): string | undefined {
    for (let i = this.scopes.length - 1; i >= 0; i--) {
      const own = this.scopes[i].get(name);
      if (own !== undefined) return own;
    }
    return undefined;
  }

  protected unexpected(): never {
    return this.fail(`unexpected symbol near '${this.token.text}'`);
  }

  /** Goes a level deeper. */
  protected enter(): void {
    if (++this.depth > NESTING_MAX) this.fail('chunk has too many syntax levels');
  }

  protected exit(): void {
    this.depth--;
  }
}
