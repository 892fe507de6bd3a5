/**
 * Calls: reactions go through the runtime, and marks go around the last thing that is evaluated
 * before a call. The function that is called stays the one that the source names.
 */

import type ts from 'typescript';
import type { TypeScript } from '../analyzer/index.js';
import type { CallMarks } from '../analyzer/edits.js';
import type { Hooks } from './hooks.js';

export class Calls {
  constructor(
    private readonly ts: TypeScript,
    private readonly factory: ts.NodeFactory,
    private readonly hooks: Hooks,
  ) {}

  /** `R.then(a, b)` to `$d.react(R, "then", site, a, b)`; `call` is visited already. */
  react(
    call: ts.CallExpression,
    { site, marks }: { site: number; marks: boolean },
    range: ts.Node,
  ): ts.Expression {
    const { factory, hooks } = this;
    const { expression: receiver, name } = call.expression as ts.PropertyAccessExpression;
    const method = factory.createStringLiteral(name.text);
    const args = [receiver, method, hooks.site(site), ...call.arguments];
    const reaction = hooks.react(args, range, marks);
    // The engine reports a call of a member at the member's name.
    this.ts.setSourceMapRange(reaction.expression, {
      pos: name.end - name.text.length,
      end: name.end,
    });
    return reaction;
  }

  /** Puts marks around the last argument or the receiver of a visited call. */
  mark(call: ts.CallExpression, { at, operand }: CallMarks): ts.CallExpression {
    const { hooks } = this;
    let { expression: callee, arguments: args } = call as {
      expression: ts.LeftHandSideExpression;
      arguments: readonly ts.Expression[];
    };
    if (at !== undefined) {
      const site = hooks.site(at);
      const marked = args.length === 0 ? this.markReceiver(callee, site) : undefined;
      if (marked !== undefined) callee = marked;
      else
        args = this.wrapLast(
          args,
          (v) => hooks.runtime('at', [site, v], v),
          () => hooks.runtime('atNone', [site]),
        );
    }
    if (operand === 'direct') {
      args = this.wrapLast(
        args,
        (v) => hooks.frame('direct', [v], v),
        () => hooks.frame('noArgs', []),
      );
    } else if (operand === 'clear') {
      args = this.wrapLast(
        args,
        (v) => hooks.runtime('clear', [v], v),
        () => hooks.runtime('noArgs', []),
      );
    }
    return this.update(call, callee, args);
  }

  /** `new X(a)` to `new X($d.at(site, a))`. */
  markNew(node: ts.NewExpression, at: number): ts.NewExpression {
    const site = this.hooks.site(at);
    const args = this.wrapLast(
      node.arguments!,
      (v) => this.hooks.runtime('at', [site, v], v),
      () => {
        throw new Error('A constructor call without arguments has no mark.');
      },
    );
    return this.factory.updateNewExpression(node, node.expression, node.typeArguments, args);
  }

  private wrapLast(
    args: readonly ts.Expression[],
    wrap: (value: ts.Expression) => ts.Expression,
    none: () => ts.Expression,
  ): readonly ts.Expression[] {
    const { ts, factory } = this;
    const last = args[args.length - 1];
    if (last === undefined) return [factory.createSpreadElement(none())];
    const wrapped = ts.isSpreadElement(last)
      ? factory.updateSpreadElement(last, wrap(last.expression))
      : wrap(last);
    return [...args.slice(0, -1), wrapped];
  }

  /** `x.f()` to `$d.at(site, x).f()`. */
  private markReceiver(
    callee: ts.LeftHandSideExpression,
    site: ts.Expression,
  ): ts.LeftHandSideExpression | undefined {
    const { ts, factory, hooks } = this;
    const marked = (receiver: ts.Expression): ts.Expression =>
      hooks.runtime('at', [site, receiver], receiver);
    if (ts.isPropertyAccessChain(callee)) {
      const { expression, questionDotToken, name } = callee;
      return factory.updatePropertyAccessChain(callee, marked(expression), questionDotToken, name);
    }
    if (ts.isPropertyAccessExpression(callee)) {
      return factory.updatePropertyAccessExpression(callee, marked(callee.expression), callee.name);
    }
    return undefined;
  }

  private update(
    call: ts.CallExpression,
    callee: ts.Expression,
    args: readonly ts.Expression[],
  ): ts.CallExpression {
    const { ts, factory } = this;
    const list = ts.setTextRange(factory.createNodeArray(args), call.arguments);
    return ts.isCallChain(call)
      ? factory.updateCallChain(call, callee, call.questionDotToken, call.typeArguments, list)
      : factory.updateCallExpression(call, callee, call.typeArguments, list);
  }
}
