/**
 * Compiles Lua 5.1 to JavaScript in one pass: statements and expressions become source text that
 * calls the operations of the runtime.
 *
 * Locals become locals, so closures and fresh variables per round of a loop come out right by
 * themselves.
 */

import { type Expression, ExpressionCompiler, quote } from './expressions.js';

const BLOCK_ENDS = new Set(['<eof>', 'end', 'else', 'elseif', 'until']);

export class Compiler extends ExpressionCompiler {
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

  protected override block(
    declared: readonly [string, string][] = [],
    tail?: () => string,
  ): string {
    this.scopes.push(new Map(declared));
    this.enter();
    let code = '';
    while (!(this.token.kind !== 'string' && BLOCK_ENDS.has(this.token.text))) {
      const last = this.is('return') || this.is('break');
      code += `${this.statement()}\n`;
      this.accept(';');
      if (last) break;
    }
    code += tail?.() ?? '';
    this.exit();
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
      const begin = `${i} = loop(${start}, 'initial value', ${line})`;
      const bound = `${end} = loop(${limit}, 'limit', ${line})`;
      const stride = `${by} = loop(${step}, 'step', ${line})`;
      const test = `${by} > 0 ? ${i} <= ${end} : ${i} >= ${end}`;
      const head = `let ${begin}, ${bound}, ${stride}; ${test}; ${i} += ${by}`;
      return `for (${head}) { let ${own} = ${i}; ${body} }`;
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
    const round = `call(${f}, [${state}, ${control}], ${opener.line}, "for iterator")`;
    const test = `if ((${control} = ${results}[0]) === undefined) break;`;
    const loop = `for (;;) { const ${results} = ${round}; ${test} let ${declared}; ${body} }`;
    return `{ let [${f}, ${state}, ${control}] = ${values}; ${loop} }`;
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
}

/** What the compiled text takes from the runtime. */
const OPERATIONS =
  'const { NONE, truthy, not, negate, lengthOf, equal, less, lessEqual, add, subtract, multiply, divide, modulo, power, concat, index, setIndex, global, setGlobal, call, callMethod, table, loop } = R;';
