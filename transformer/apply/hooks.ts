/**
 * Builds the calls into the runtime: `$f.…` on the frame, `$d.…` on the module, `$s + k` for sites.
 *
 * A call that stands for a node of the source takes that node's range, so that source maps lead
 * from it to the original line and column.
 */

import type ts from 'typescript';
import type { InjectedNames, TypeScript } from '../analyzer/index.js';

/** What a frame can do; see the runtime for what each call means. */
export type FrameMethod = 'suspend' | 'resume' | 'leave' | 'iterate' | 'direct' | 'noArgs' | 'exit';

/** What the runtime module can do. */
export type RuntimeMethod =
  'file' | 'enter' | 'react' | 'clear' | 'noArgs' | 'at' | 'atNone' | 'tag' | 'steps';

export class Hooks {
  constructor(
    private readonly ts: TypeScript,
    private readonly factory: ts.NodeFactory,
    readonly names: InjectedNames,
  ) {}

  /** `$f.method(…)`, standing for `range`. */
  frame(method: FrameMethod, args: readonly ts.Expression[], range?: ts.TextRange): ts.Expression {
    return this.call(this.factory.createIdentifier(this.names.frame), method, args, range);
  }

  /**
   * `$f.method(operand, $s + site)`, standing for the operand.
   * @param marks whether the operand is a call that is marked here: `$f.direct($f).method(…)`
   */
  operand(
    method: 'suspend' | 'leave' | 'iterate',
    operand: ts.Expression,
    site: number,
    marks: boolean,
  ): ts.Expression {
    const frame = this.factory.createIdentifier(this.names.frame);
    const object = marks ? this.frame('direct', [frame]) : frame;
    return this.call(object, method, [operand, this.site(site)], operand);
  }

  /** `$d.react(receiver, …)`, standing for `range`; with `marks`, `$d.clear($d).react(…)`. */
  react(args: readonly ts.Expression[], range: ts.TextRange, marks: boolean): ts.CallExpression {
    const runtime = this.factory.createIdentifier(this.names.runtime);
    return this.call(marks ? this.runtime('clear', [runtime]) : runtime, 'react', args, range);
  }

  /** `$d.method(…)`, standing for `range`. */
  runtime(
    method: RuntimeMethod,
    args: readonly ts.Expression[],
    range?: ts.TextRange,
  ): ts.Expression {
    return this.call(this.factory.createIdentifier(this.names.runtime), method, args, range);
  }

  /** `$s + index`. */
  site(index: number): ts.Expression {
    const { factory } = this;
    return factory.createAdd(
      factory.createIdentifier(this.names.sites),
      factory.createNumericLiteral(index),
    );
  }

  /**
   * `$f.resume(value)`, standing for `range`.
   * @param named whether errors would print it: V8 has no name for a call such as
   *   `($f?.resume(…))`, just as it has none for an await
   */
  resume(value: ts.Expression, range: ts.TextRange, named: boolean): ts.Expression {
    if (!named) return this.frame('resume', [value], range);
    const { ts, factory } = this;
    const frame = factory.createIdentifier(this.names.frame);
    const question = factory.createToken(ts.SyntaxKind.QuestionDotToken);
    const callee = factory.createPropertyAccessChain(frame, question, 'resume');
    const call = factory.createCallChain(callee, undefined, undefined, [value]);
    return factory.createParenthesizedExpression(this.standFor(call, range));
  }

  /** `$f.resume();` */
  resumeStatement(): ts.Statement {
    return this.factory.createExpressionStatement(this.frame('resume', []));
  }

  /** `const name = value;` */
  constant(name: string | ts.BindingName, value: ts.Expression): ts.Statement {
    return this.variable(this.ts.NodeFlags.Const, name, value);
  }

  /** A variable statement; `flags` says whether `const`, `let` or `var`. */
  variable(
    flags: ts.NodeFlags,
    name: string | ts.BindingName,
    value: ts.Expression,
  ): ts.VariableStatement {
    const { factory } = this;
    const declaration = factory.createVariableDeclaration(name, undefined, undefined, value);
    return factory.createVariableStatement(
      undefined,
      factory.createVariableDeclarationList([declaration], flags),
    );
  }

  private call(
    object: ts.Expression,
    method: string,
    args: readonly ts.Expression[],
    range: ts.TextRange | undefined,
  ): ts.CallExpression {
    const { factory } = this;
    const callee = factory.createPropertyAccessExpression(object, method);
    const call = factory.createCallExpression(callee, undefined, args);
    return range === undefined ? call : this.standFor(call, range);
  }

  /** Gives a call the place of a node; comments stay with the node itself. */
  private standFor<T extends ts.Expression>(call: T, range: ts.TextRange): T {
    const { ts } = this;
    return ts.setEmitFlags(ts.setTextRange(call, range), ts.EmitFlags.NoComments);
  }
}
