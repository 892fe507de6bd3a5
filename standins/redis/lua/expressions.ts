/**
 * Compiles expressions of Lua to source text of JavaScript.
 *
 * An expression that can have several values is text for an array of them.
 */

import { ScriptReader } from './script-reader.js';
import { numberOf } from './value.js';

export interface Expression {
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
export const quote = (text: string): string => JSON.stringify(text);

export abstract class ExpressionCompiler extends ScriptReader {
  /** The statements of a block, in the scope of some variables. */
  protected abstract block(declared?: readonly [string, string][]): string;

  protected expressions(): Expression[] {
    const list = [this.expression()];
    while (this.accept(',')) list.push(this.expression());
    return list;
  }

  protected single({ code, multiple }: Expression): string {
    return multiple ? `${code}[0]` : code;
  }

  /** Code for an array of all values of a list of expressions. */
  protected list(values: readonly Expression[]): string {
    if (values.length === 0) return 'NONE';
    const last = values[values.length - 1];
    if (values.length === 1 && last.multiple) return last.code;
    const items = values.slice(0, -1).map((value) => this.single(value));
    items.push(last.multiple ? `...${last.code}` : last.code);
    return `[${items.join(', ')}]`;
  }

  protected expression(limit = 0): Expression {
    this.enter();
    let left = this.unary();
    for (;;) {
      const { text, line, kind } = this.token;
      const binding = kind === 'symbol' ? BINDING[text] : undefined;
      if (binding === undefined || binding[0] <= limit) break;
      this.position++;
      left = this.binary(text, left, this.expression(binding[1]), line);
    }
    this.exit();
    return left;
  }

  protected unary(): Expression {
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

  protected binary(operator: string, a: Expression, b: Expression, line: number): Expression {
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

  protected simple(): Expression {
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

  protected variable(name: string): Expression {
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

  protected field(object: Expression, key: string, line: number): Expression {
    const table = this.single(object);
    const about = object.about === undefined ? '' : `, ${quote(object.about)}`;
    return {
      code: `index(${table}, ${key}, ${line}${about})`,
      multiple: false,
      about: key.startsWith('"') ? `field '${JSON.parse(key) as string}'` : "field '?'",
      target: { kind: 'field', table, key },
    };
  }

  protected suffixed(): Expression {
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

  protected callArguments(): Expression[] {
    if (this.token.kind === 'string' || this.is('{')) return [this.simple()];
    const opener = this.token;
    this.expect('(');
    if (this.accept(')')) return [];
    const list = this.expressions();
    this.expect(')', opener);
    return list;
  }

  protected table(): string {
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
  protected functionBody(method: boolean): string {
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
