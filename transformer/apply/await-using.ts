/**
 * Lowers `await using`, whatever the target: the await at the end of the block is a yield point, so
 * it has to be there before the compiler makes its own.
 *
 * The result is the one that TypeScript gives, with its helpers, plus the hooks:
 *
 *     const env = { stack: [], error: void 0, hasError: false };
 *     try { const x = __addDisposableResource(env, VALUE, true); … }
 *     catch (e) { $f.resume(); env.error = e; env.hasError = true; }
 *     finally {
 *       $f.resume();
 *       const result = __disposeResources(env);
 *       if (result) $f.resume(await $f.suspend(result, SITE));
 *     }
 */

import type ts from 'typescript';
import type { TypeScript } from '../analyzer/index.js';
import { isAwaitUsing, isUsing } from '../analyzer/using.js';
import { splitPrologue } from './frames.js';
import type { Hooks } from './hooks.js';

/** The part of TypeScript's helpers that is not in its public types. */
interface DisposalHelpers {
  createAddDisposableResourceHelper(
    env: ts.Expression,
    value: ts.Expression,
    async: boolean,
  ): ts.Expression;
  createDisposeResourcesHelper(env: ts.Expression): ts.Expression;
}

export class AwaitUsing {
  private readonly factory: ts.NodeFactory;
  private readonly helpers: DisposalHelpers;

  constructor(
    private readonly ts: TypeScript,
    context: ts.TransformationContext,
    private readonly hooks: Hooks,
  ) {
    this.factory = context.factory;
    const { getEmitHelperFactory } = context as ts.TransformationContext & {
      getEmitHelperFactory(): DisposalHelpers;
    };
    this.helpers = getEmitHelperFactory();
  }

  /** The visited statements of a block, with every `using` of the block lowered. */
  lower(statements: readonly ts.Statement[], site: number): ts.Statement[] {
    const { factory, hooks } = this;
    const [prologue, rest] = splitPrologue(this.ts, statements);
    const env = factory.createUniqueName('env');
    const body = rest.map((s) => (isUsing(this.ts, s) ? this.register(s, env) : s));
    return [
      ...prologue,
      hooks.constant(env, this.environment()),
      factory.createTryStatement(
        factory.createBlock(body, true),
        this.catchClause(env),
        this.finallyBlock(env, site),
      ),
    ];
  }

  /** `for (await using x = …; …; …)`: the declaration moves into a block around the loop. */
  lowerFor(loop: ts.ForStatement, labels: readonly ts.Identifier[], site: number): ts.Statement {
    const { factory } = this;
    const list = loop.initializer as ts.VariableDeclarationList;
    const { condition, incrementor, statement } = loop;
    const bare = factory.updateForStatement(loop, undefined, condition, incrementor, statement);
    const declaration = factory.createVariableStatement(undefined, list);
    const labeled = labels.reduceRight<ts.Statement>(
      (inner, label) => factory.createLabeledStatement(label, inner),
      bare,
    );
    return factory.createBlock(this.lower([declaration, labeled], site), true);
  }

  /** `for (await using x of …) S`: each round declares x in a block of its own. */
  lowerForOf(loop: ts.ForOfStatement, site: number): ts.ForOfStatement {
    const { ts, factory, hooks } = this;
    const list = loop.initializer as ts.VariableDeclarationList;
    const [declaration] = list.declarations;
    const item = factory.createUniqueName(
      ts.isIdentifier(declaration.name) ? declaration.name.text : 'item',
    );
    const using = ts.setTextRange(hooks.variable(list.flags, declaration.name, item), list);
    const { statement } = loop;
    const rest = ts.isBlock(statement) ? statement.statements : [statement];
    const head = factory.createVariableDeclarationList(
      [factory.createVariableDeclaration(item)],
      ts.NodeFlags.Const,
    );
    return factory.updateForOfStatement(
      loop,
      loop.awaitModifier,
      head,
      loop.expression,
      factory.createBlock(this.lower([using, factory.createBlock(rest, true)], site), true),
    );
  }

  private environment(): ts.Expression {
    const { factory } = this;
    return factory.createObjectLiteralExpression([
      factory.createPropertyAssignment('stack', factory.createArrayLiteralExpression()),
      factory.createPropertyAssignment('error', factory.createVoidZero()),
      factory.createPropertyAssignment('hasError', factory.createFalse()),
    ]);
  }

  /** `using x = VALUE` to `const x = __addDisposableResource(env, VALUE, …)`. */
  private register(statement: ts.Statement, env: ts.Identifier): ts.Statement {
    const { ts, factory, helpers } = this;
    const { modifiers, declarationList } = statement as ts.VariableStatement;
    const async = isAwaitUsing(ts, statement);
    const declarations = declarationList.declarations.map((declaration) => {
      const value = declaration.initializer ?? factory.createVoidZero();
      const added = helpers.createAddDisposableResourceHelper(env, value, async);
      const { name } = declaration;
      return factory.updateVariableDeclaration(
        declaration,
        name,
        undefined,
        undefined,
        ts.setTextRange(added, value),
      );
    });
    const list = factory.createVariableDeclarationList(declarations, ts.NodeFlags.Const);
    return ts.setTextRange(factory.createVariableStatement(modifiers, list), statement);
  }

  private catchClause(env: ts.Identifier): ts.CatchClause {
    const { factory, hooks } = this;
    const error = factory.createUniqueName('e');
    const set = (name: string, value: ts.Expression): ts.Statement =>
      factory.createExpressionStatement(
        factory.createAssignment(factory.createPropertyAccessExpression(env, name), value),
      );
    return factory.createCatchClause(
      factory.createVariableDeclaration(error),
      factory.createBlock(
        [hooks.resumeStatement(), set('error', error), set('hasError', factory.createTrue())],
        true,
      ),
    );
  }

  private finallyBlock(env: ts.Identifier, site: number): ts.Block {
    const { factory, helpers, hooks } = this;
    const result = factory.createUniqueName('result');
    const awaited = factory.createAwaitExpression(hooks.operand('suspend', result, site, false));
    return factory.createBlock(
      [
        hooks.resumeStatement(),
        hooks.constant(result, helpers.createDisposeResourcesHelper(env)),
        factory.createIfStatement(
          result,
          factory.createExpressionStatement(hooks.frame('resume', [awaited])),
        ),
      ],
      true,
    );
  }
}
