/**
 * Compiles Lua 5.1 to JavaScript in one pass: statements and expressions become source text that
 * calls the operations of the runtime.
 *
 * Locals become locals, so closures and fresh variables per round of a loop come out right by
 * themselves. An expression that can have several values is text for an array of them.
 */

import { Lexer, type Token } from './lexer.js';
import { LuaError, numberOf } from './value.js';

interface Expression {
  readonly code: string;
  /** Whether the code yields an array of values: a call, or `...`. */
  readonly multiple: boolean;
  /** How errors name it: "local 'x'". */
  readonly about?: string;
  /** Where it can be assigned to. */
  readonly target?:
    | { readonly kind: 'local'; readonly name: string }
    | { readonly kind: 'global'; readonly name: string }
    | { readonly kind: 'field'; readonly table: string; readonly key: string };
}

interface FunctionScope {
  readonly variadic: boolean;
  /** Names of helper variables, declared at its head. */
  readonly temporaries: string[];
}

/** How strongly operators bind, to the left and to the right. */
const BINDING: Readonly<Record<string, readonly [number, number]>> = {
  or: [1, 1],
  and: [2, 2],
  '<': [3, 3],
  '>': [3, 3],
  '<=': [3, 3],
  '>=': [3, 3],
  '~=': [3, 3],
  '==': [3, 3],
  '..': [5, 4],
  '+': [6, 6],
  '-': [6, 6],
  '*': [7, 7],
  '/': [7, 7],
  '%': [7, 7],
  '^': [10, 9],
};
const UNARY_BINDING = 8;
const BLOCK_ENDS = new Set(['<eof>', 'end', 'else', 'elseif', 'until']);
const NESTING_MAX = 190;

const quote = (text: string): string => JSON.stringify(text).replace(/[\u2028\u2029]/g, '');

export class Compiler {
  private readonly tokens: readonly Token[];
  private position = 0;
  private scopes: Map<string, string>[] = [];
  private functions: FunctionScope[] = [];
  private names = 0;
  private depth = 0;

  constructor(
    source: string,
    private readonly chunk: string,
  ) {
    this.tokens = new Lexer(source, chunk).tokens();
  }

  /**
   * The body of a JavaScript function of the runtime `R` that returns the chunk as a function.
   * @throws {LuaError} for what is not Lua
   */
  compile(): string {
    this.functions.push({ variadic: true, temporaries: [] });
    const body = this.block();
    if (this.token.kind !== 'end') this.fail(`'<eof>' expected near '${this.token.text}'`);
    return `${OPERATIONS} return (...va) => { ${this.temporaries()}${body} return NONE; };`;
  }

  private get token(): Token {
    return this.tokens[this.position];
  }

  private is(symbol: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === symbol;
  }

  private accept(symbol: string): boolean {
    const found = this.is(symbol);
    if (found) this.position++;
    return found;
  }

  private expect(symbol: string, opener?: Token): void {
    if (this.accept(symbol)) return;
    const near = `near '${this.token.text}'`;
    if (opener === undefined || opener.line === this.token.line) {
      this.fail(`'${symbol}' expected ${near}`);
    }
    this.fail(`'${symbol}' expected (to close '${opener.text}' at line ${opener.line}) ${near}`);
  }

  private name(): string {
    if (this.token.kind !== 'name') this.fail(`<name> expected near '${this.token.text}'`);
    return this.tokens[this.position++].text;
  }

  private fail(message: string): never {
    throw new LuaError(`${this.chunk}:${this.token.line}: ${message}`);
  }

  private fresh(name: string): string {
    return `${name}$${++this.names}`;
  }

  private temporary(): string {
    const name = this.fresh('t');
    this.functions[this.functions.length - 1].temporaries.push(name);
    return name;
  }

  /** Ends a function, and declares its helpers. */
  private temporaries(): string {
    const { temporaries } = this.functions.pop()!;
    return temporaries.length === 0 ? '' : `let ${temporaries.join(', ')}; `;
  }

  private declare(name: string): string {
    const own = this.fresh(name);
    this.scopes[this.scopes.length - 1].set(name, own);
    return own;
  }

  private lookUp(name: string): string | undefined {
    for (let i = this.scopes.length - 1; i >= 0; i--) {
      const own = this.scopes[i].get(name);
      if (own !== undefined) return own;
    }
    return undefined;
  }

  private block(declared: readonly [string, string][] = [], tail?: () => string): string {
    this.scopes.push(new Map(declared));
    if (++this.depth > NESTING_MAX) this.fail('chunk has too many syntax levels');
    let code = '';
    while (!(this.token.kind !== 'string' && BLOCK_ENDS.has(this.token.text))) {
      const last = this.is('return') || this.is('break');
      code += `${this.statement()}\n`;
      this.accept(';');
      if (last) break;
    }
    code += tail?.() ?? '';
    this.depth--;
    this.scopes.pop();
    return code;
  }

  private statement(): string {
    const opener = this.token;
    if (opener.kind === 'symbol') {
      switch (opener.text) {
        case 'if':
          return this.ifStatement();
        case 'while': {
          this.position++;
          const condition = this.condition();
          this.expect('do');
          const body = this.block();
          this.expect('end', opener);
          return `while (${condition}) { ${body} }`;
        }
        case 'do': {
          this.position++;
          const body = this.block();
          this.expect('end', opener);
          return `{ ${body} }`;
        }
        case 'for':
          return this.forStatement();
        case 'repeat': {
          this.position++;
          const body = this.block([], () => {
            this.expect('until', opener);
            return `if (${this.condition()}) break;`;
          });
          return `for (;;) { ${body} }`;
        }
        case 'function':
          return this.functionStatement();
        case 'local':
          return this.localStatement();
        case 'return':
          return this.returnStatement();
        case 'break':
          this.position++;
          return 'break;';
      }
    }
    return this.expressionStatement();
  }

  private condition(): string {
    return `truthy(${this.single(this.expression())})`;
  }

  private ifStatement(): string {
    const opener = this.token;
    let code = '';
    do {
      this.position++;
      const condition = this.condition();
      this.expect('then');
      code += `${code === '' ? '' : ' else '}if (${condition}) { ${this.block()} }`;
    } while (this.is('elseif'));
    if (this.accept('else')) code += ` else { ${this.block()} }`;
    this.expect('end', opener);
    return code;
  }

  private forStatement(): string {
    const opener = this.token;
    this.position++;
    const names = [this.name()];
    if (this.accept('=')) {
      const { line } = opener;
      const start = this.single(this.expression());
      this.expect(',');
      const limit = this.single(this.expression());
      const step = this.accept(',') ? this.single(this.expression()) : '1';
      this.expect('do');
      const [i, end, by] = [this.fresh('i'), this.fresh('end'), this.fresh('by')];
      const own = this.fresh(names[0]);
      const body = this.block([[names[0], own]]);
      this.expect('end', opener);
      return `for (let ${i} = loop(${start}, 'initial', ${line}), ${end} = loop(${limit}, 'limit', ${line}), ${by} = loop(${step}, 'step', ${line}); ${by} > 0 ? ${i} <= ${end} : ${i} >= ${end}; ${i} += ${by}) { let ${own} = ${i}; ${body} }`;
    }
    while (this.accept(',')) names.push(this.name());
    this.expect('in');
    const values = this.list(this.expressions());
    this.expect('do');
    const [f, state, control, results] = ['f', 's', 'c', 'r'].map((name) => this.fresh(name));
    const own = names.map((name): [string, string] => [name, this.fresh(name)]);
    const body = this.block(own);
    this.expect('end', opener);
    const declared = own.map(([, name], i) => `${name} = ${results}[${i}]`).join(', ');
    return `{ let [${f}, ${state}, ${control}] = ${values}; for (;;) { const ${results} = call(${f}, [${state}, ${control}], ${opener.line}, "for iterator"); if ((${control} = ${results}[0]) === undefined) break; let ${declared}; ${body} } }`;
  }

  private functionStatement(): string {
    this.position++;
    let target = this.variable(this.name());
    let method = false;
    while (this.is('.') || this.is(':')) {
      method = this.is(':');
      const { line } = this.token;
      this.position++;
      target = this.field(target, quote(this.name()), line);
      if (method) break;
    }
    return this.assign(target, this.functionBody(method));
  }

  private localStatement(): string {
    this.position++;
    if (this.accept('function')) {
      const own = this.declare(this.name());
      return `let ${own}; ${own} = ${this.functionBody(false)};`;
    }
    const names = [this.name()];
    while (this.accept(',')) names.push(this.name());
    const values = this.accept('=') ? this.expressions() : [];
    const code = this.spread(values, names.length);
    const own = names.map((name) => this.declare(name));
    if (code.kind === 'each') {
      return `${code.before}let ${own.map((name, i) => `${name} = ${code.values[i]}`).join(', ')};`;
    }
    return `let [${own.join(', ')}] = ${code.list};`;
  }

  private returnStatement(): string {
    this.position++;
    const bare = this.is(';') || (this.token.kind !== 'string' && BLOCK_ENDS.has(this.token.text));
    if (bare) return 'return NONE;';
    return `return ${this.list(this.expressions())};`;
  }

  private expressionStatement(): string {
    const first = this.suffixed();
    if (first.target === undefined) {
      if (!first.multiple || !first.code.startsWith('call')) this.unexpected();
      return `${first.code};`;
    }
    const targets = [first];
    while (this.accept(',')) targets.push(this.suffixed());
    if (!this.is('=')) this.unexpected();
    this.position++;
    const values = this.expressions();
    if (targets.length === 1 && values.length === 1) {
      return this.assign(first, this.single(values[0]));
    }
    return this.assignMany(targets, values);
  }

  private unexpected(): never {
    return this.fail(`unexpected symbol near '${this.token.text}'`);
  }

  /** All right sides are worked out before anything is assigned. */
  private assignMany(targets: readonly Expression[], values: readonly Expression[]): string {
    let before = '';
    const fixed = targets.map((one): Expression => {
      if (one.target === undefined) return this.unexpected();
      if (one.target.kind !== 'field') return one;
      const [table, key] = [this.fresh('o'), this.fresh('k')];
      before += `const ${table} = ${one.target.table}, ${key} = ${one.target.key}; `;
      return { ...one, target: { kind: 'field', table, key } };
    });
    const results = this.fresh('v');
    before += `const ${results} = ${this.list(values)}; `;
    const assigned = fixed.map((one, i) => this.assign(one, `${results}[${i}]`)).reverse();
    return `{ ${before}${assigned.join(' ')} }`;
  }

  private assign({ target }: Expression, value: string): string {
    if (target === undefined) return this.unexpected();
    if (target.kind === 'local') return `${target.name} = ${value};`;
    const { line } = this.tokens[this.position - 1];
    if (target.kind === 'global') return `setGlobal(${quote(target.name)}, ${value}, ${line});`;
    return `setIndex(${target.table}, ${target.key}, ${value}, ${line});`;
  }

  private expressions(): Expression[] {
    const list = [this.expression()];
    while (this.accept(',')) list.push(this.expression());
    return list;
  }

  private single({ code, multiple }: Expression): string {
    return multiple ? `${code}[0]` : code;
  }

  /** Code for an array of all values of a list of expressions. */
  private list(values: readonly Expression[]): string {
    if (values.length === 0) return 'NONE';
    const last = values[values.length - 1];
    if (values.length === 1 && last.multiple) return last.code;
    const items = values.slice(0, -1).map((value) => this.single(value));
    items.push(last.multiple ? `...${last.code}` : last.code);
    return `[${items.join(', ')}]`;
  }

  /** The values for so many names: one by one, or as an array when a call may give several. */
  private spread(
    values: readonly Expression[],
    count: number,
  ): { kind: 'each'; before: string; values: string[] } | { kind: 'list'; list: string } {
    const last = values[values.length - 1];
    if (values.length > count || (last?.multiple && values.length < count)) {
      return { kind: 'list', list: this.list(values) };
    }
    const each = values.map((value) => this.single(value));
    while (each.length < count) each.push('undefined');
    return { kind: 'each', before: '', values: each };
  }

  private expression(limit = 0): Expression {
    if (++this.depth > NESTING_MAX) this.fail('chunk has too many syntax levels');
    let left = this.unary();
    for (;;) {
      const { text, line, kind } = this.token;
      const binding = kind === 'symbol' ? BINDING[text] : undefined;
      if (binding === undefined || binding[0] <= limit) break;
      this.position++;
      left = this.binary(text, left, this.expression(binding[1]), line);
    }
    this.depth--;
    return left;
  }

  private unary(): Expression {
    const { line } = this.token;
    for (const [symbol, operation] of [
      ['not', 'not'],
      ['-', 'negate'],
      ['#', 'lengthOf'],
    ]) {
      if (!this.accept(symbol)) continue;
      const operand = this.expression(UNARY_BINDING);
      const about = operand.about === undefined ? '' : `, ${quote(operand.about)}`;
      const rest = operation === 'not' ? '' : `, ${line}${about}`;
      return { code: `${operation}(${this.single(operand)}${rest})`, multiple: false };
    }
    return this.simple();
  }

  private binary(operator: string, a: Expression, b: Expression, line: number): Expression {
    const [left, right] = [this.single(a), this.single(b)];
    const value = (code: string): Expression => ({ code, multiple: false });
    if (operator === 'and' || operator === 'or') {
      const t = this.temporary();
      const test = `truthy(${t} = ${left})`;
      return value(
        operator === 'and' ? `(${test} ? ${right} : ${t})` : `(${test} ? ${t} : ${right})`,
      );
    }
    if (operator === '==') return value(`equal(${left}, ${right})`);
    if (operator === '~=') return value(`!equal(${left}, ${right})`);
    if (operator === '<') return value(`less(${left}, ${right}, ${line})`);
    if (operator === '>') return value(`less(${right}, ${left}, ${line})`);
    if (operator === '<=') return value(`lessEqual(${left}, ${right}, ${line})`);
    if (operator === '>=') return value(`lessEqual(${right}, ${left}, ${line})`);
    const abouts = [a, b].map(({ about }) => (about === undefined ? 'undefined' : quote(about)));
    return value(`${ARITHMETIC[operator]}(${left}, ${right}, ${line}, ${abouts.join(', ')})`);
  }

  private simple(): Expression {
    const { kind, text } = this.token;
    if (kind === 'number' || kind === 'string') {
      this.position++;
      return { code: kind === 'number' ? String(numberOf(text)) : quote(text), multiple: false };
    }
    const constant = kind === 'symbol' ? CONSTANTS[text] : undefined;
    if (constant !== undefined) {
      this.position++;
      return { code: constant, multiple: false };
    }
    if (this.accept('...')) {
      if (!this.functions[this.functions.length - 1].variadic) {
        this.fail("cannot use '...' outside a vararg function near '...'");
      }
      return { code: 'va', multiple: true };
    }
    if (this.is('{')) return { code: this.table(), multiple: false };
    if (this.accept('function')) return { code: this.functionBody(false), multiple: false };
    return this.suffixed();
  }

  private variable(name: string): Expression {
    const own = this.lookUp(name);
    const { line } = this.tokens[this.position - 1];
    if (own !== undefined) {
      return {
        code: own,
        multiple: false,
        about: `local '${name}'`,
        target: { kind: 'local', name: own },
      };
    }
    return {
      code: `global(${quote(name)}, ${line})`,
      multiple: false,
      about: `global '${name}'`,
      target: { kind: 'global', name },
    };
  }

  private field(object: Expression, key: string, line: number): Expression {
    const table = this.single(object);
    const about = object.about === undefined ? '' : `, ${quote(object.about)}`;
    return {
      code: `index(${table}, ${key}, ${line}${about})`,
      multiple: false,
      about: key.startsWith('"') ? `field '${JSON.parse(key) as string}'` : "field '?'",
      target: { kind: 'field', table, key },
    };
  }

  private suffixed(): Expression {
    let object: Expression;
    if (this.token.kind === 'name') object = this.variable(this.name());
    else {
      const opener = this.token;
      if (!this.accept('(')) return this.unexpected();
      object = { code: `(${this.single(this.expression())})`, multiple: false };
      this.expect(')', opener);
    }
    for (;;) {
      const { line, kind } = this.token;
      if (this.accept('.')) object = this.field(object, quote(this.name()), line);
      else if (this.is('[')) {
        this.position++;
        const key = this.single(this.expression());
        this.expect(']');
        object = this.field(object, key, line);
      } else if (this.accept(':')) {
        const name = this.name();
        const args = this.list(this.callArguments());
        const about = object.about === undefined ? '' : `, ${quote(object.about)}`;
        object = {
          code: `callMethod(${this.single(object)}, ${quote(name)}, ${args}, ${line}${about})`,
          multiple: true,
        };
      } else if (this.is('(') || this.is('{') || kind === 'string') {
        const about = object.about === undefined ? '' : `, ${quote(object.about)}`;
        const args = this.list(this.callArguments());
        object = { code: `call(${this.single(object)}, ${args}, ${line}${about})`, multiple: true };
      } else return object;
    }
  }

  private callArguments(): Expression[] {
    if (this.token.kind === 'string' || this.is('{')) return [this.simple()];
    const opener = this.token;
    this.expect('(');
    if (this.accept(')')) return [];
    const list = this.expressions();
    this.expect(')', opener);
    return list;
  }

  private table(): string {
    const opener = this.token;
    this.expect('{');
    const items: string[] = [];
    const pairs: string[] = [];
    let rest = '';
    while (!this.is('}')) {
      const next = this.tokens[this.position + 1];
      if (this.accept('[')) {
        const key = this.single(this.expression());
        this.expect(']');
        this.expect('=');
        pairs.push(`${key}, ${this.single(this.expression())}`);
      } else if (this.token.kind === 'name' && next.kind === 'symbol' && next.text === '=') {
        const key = quote(this.name());
        this.expect('=');
        pairs.push(`${key}, ${this.single(this.expression())}`);
      } else {
        const value = this.expression();
        const last = !this.is(',') && !this.is(';');
        if (last && value.multiple) rest = `...${value.code}`;
        else items.push(this.single(value));
      }
      if (!this.accept(',') && !this.accept(';')) break;
    }
    this.expect('}', opener);
    if (rest !== '') items.push(rest);
    return `table([${items.join(', ')}], [${pairs.join(', ')}], ${opener.line})`;
  }

  /** Parameters and body; the word `function` has been read. */
  private functionBody(method: boolean): string {
    const opener = this.tokens[this.position - 1];
    this.expect('(');
    const names = method ? ['self'] : [];
    let variadic = false;
    while (!this.is(')')) {
      if (this.accept('...')) {
        variadic = true;
        break;
      }
      names.push(this.name());
      if (!this.accept(',')) break;
    }
    this.expect(')');
    this.functions.push({ variadic, temporaries: [] });
    const own = names.map((name): [string, string] => [name, this.fresh(name)]);
    const body = this.block(own);
    this.expect('end', opener);
    const parameters = own.map(([, name]) => name);
    if (variadic) parameters.push('...va');
    return `((${parameters.join(', ')}) => { ${this.temporaries()}${body} return NONE; })`;
  }
}

const CONSTANTS: Readonly<Record<string, string>> = {
  nil: 'undefined',
  true: 'true',
  false: 'false',
};

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
  '^': 'power',
  '..': 'concat',
};

/** What the compiled text takes from the runtime. */
const OPERATIONS =
  'const { NONE, truthy, not, negate, lengthOf, equal, less, lessEqual, add, subtract, multiply, divide, modulo, power, concat, index, setIndex, global, setGlobal, call, callMethod, table, loop } = R;';
