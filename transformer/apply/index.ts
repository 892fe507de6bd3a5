/**
 * Applies the edits of an analysis to a syntax tree.
 *
 * It runs before the compiler's own transformers, on TypeScript's full syntax. Subtrees without an
 * edit are handed back as they are, so the cost follows the number of edits, and nothing else of a
 * file can change. Updated nodes keep their ranges, on which source maps rest.
 */

import type ts from 'typescript';
import type { Analysis, Edit, ResultEdit, TypeScript } from '../analyzer/index.js';
import { AwaitUsing } from './await-using.js';
import { Calls } from './calls.js';
import { takeOut } from './decorated-class.js';
import { Frames, splitPrologue } from './frames.js';
import { headerStatements, type FileHeader } from './header.js';
import { Hooks } from './hooks.js';

export type { FileHeader } from './header.js';

/** The instrumented file; `file` itself when there is nothing to do. */
export function applyEdits(
  ts: TypeScript,
  context: ts.TransformationContext,
  file: ts.SourceFile,
  analysis: Analysis,
  header: FileHeader,
): ts.SourceFile {
  if (analysis.edits.size === 0) return file;
  return new Editor(ts, context, analysis).editFile(file, header);
}

type EditOf<K extends Edit['kind']> = Extract<Edit, { kind: K }>;

class Editor {
  private readonly factory: ts.NodeFactory;
  private readonly hooks: Hooks;
  private readonly calls: Calls;
  private readonly frames: Frames;
  private readonly awaitUsing: AwaitUsing;

  constructor(
    private readonly ts: TypeScript,
    private readonly context: ts.TransformationContext,
    private readonly analysis: Analysis,
  ) {
    this.factory = context.factory;
    this.hooks = new Hooks(ts, this.factory, analysis.names);
    this.calls = new Calls(ts, this.factory, this.hooks);
    this.frames = new Frames(ts, this.factory, this.hooks);
    this.awaitUsing = new AwaitUsing(ts, context, this.hooks);
  }

  editFile(file: ts.SourceFile, header: FileHeader): ts.SourceFile {
    const { ts, factory, frames, hooks } = this;
    const { edits, sites } = this.analysis;
    const { statements } = this.visitChildren(file);
    const [prologue, rest] = splitPrologue(ts, statements);
    const head = headerStatements(ts, factory, hooks, header, sites);
    const edit = edits.get(file);
    let body = rest;
    if (edit?.kind === 'module') {
      const start = rest.findIndex((statement) => !ts.isImportDeclaration(statement));
      const [imports, code] = [rest.slice(0, start), rest.slice(start)];
      body = [...imports, frames.enter(edit.site), ...code, frames.exit()];
    }
    const all = factory.createNodeArray([...prologue, ...head, ...body]);
    return factory.updateSourceFile(file, ts.setTextRange(all, file.statements));
  }

  private readonly visit = (node: ts.Node): ts.VisitResult<ts.Node | undefined> => {
    const { touched, hoisted } = this.analysis;
    if (hoisted.has(node as ts.FunctionDeclaration)) return undefined;
    if (!touched.has(node)) return node;
    const edit = this.analysis.edits.get(node);
    if (edit !== undefined) return this.applyEdit(node, edit);
    return this.ts.isBinaryExpression(node) ? this.visitBinary(node) : this.visitChildren(node);
  };

  /** Long chains such as `a + b + …` nest on the left: they are visited without recursion. */
  private visitBinary(node: ts.BinaryExpression): ts.BinaryExpression {
    const chain = [node];
    let { left } = node;
    for (; this.ts.isBinaryExpression(left); left = left.left) chain.push(left);
    let visited = this.visitExpression(left);
    for (const outer of chain.reverse()) {
      const right = this.visitExpression(outer.right);
      visited = this.factory.updateBinaryExpression(outer, visited, outer.operatorToken, right);
    }
    return visited as ts.BinaryExpression;
  }

  private visitChildren<T extends ts.Node>(node: T): T {
    return this.ts.visitEachChild(node, this.visit, this.context);
  }

  private applyEdit(node: ts.Node, edit: Edit): ts.VisitResult<ts.Node | undefined> {
    switch (edit.kind) {
      case 'function':
        return this.editFunction(node as ts.FunctionLikeDeclaration, edit);
      case 'arrowResult':
        return this.editArrow(node as ts.ArrowFunction, edit.result);
      case 'await':
        return this.editAwait(node as ts.AwaitExpression | ts.YieldExpression, edit);
      case 'steps':
        return this.editSteps(node as ts.FunctionExpression, edit.site);
      case 'step':
        return this.editStep(node as ts.ReturnStatement, edit);
      case 'yield':
        return this.editYield(node as ts.YieldExpression, edit);
      case 'delegate':
        return this.editDelegate(node as ts.YieldExpression, edit);
      case 'return':
        return this.editReturn(node as ts.ReturnStatement, edit.result);
      case 'forAwait':
        return this.editForAwait(this.visitChildren(node as ts.ForOfStatement), edit);
      case 'resumeAfter':
        return this.editLabeled(node as ts.LabeledStatement);
      case 'labeledUsing':
        return this.editLabeledUsing(node as ts.LabeledStatement, edit.dispose);
      case 'block':
        return this.editBlock(node as ts.Block, edit);
      case 'usingLoop':
        return this.editUsingLoop(node as ts.ForStatement | ts.ForOfStatement, edit);
      case 'reaction':
        return this.calls.react(this.visitChildren(node as ts.CallExpression), edit, node);
      case 'call':
        return this.editCall(node as ts.CallExpression | ts.NewExpression, edit);
      case 'awaitingClass':
        return this.editClass(node as ts.ClassDeclaration | ts.ClassExpression);
      case 'module':
        throw new Error('The frame of a module belongs to its source file.');
    }
  }

  // Functions.

  private editFunction(
    node: ts.FunctionLikeDeclaration,
    { site, result, hoisted }: EditOf<'function'>,
  ): ts.Node {
    const { ts, factory, frames } = this;
    const visited = this.visitChildren(node) as ts.FunctionLikeDeclaration;
    const body = visited.body!;
    const wrapped = ts.isBlock(body)
      ? frames.wrapBlock(
          body,
          site,
          hoisted.map((d) => this.asVariable(d)),
        )
      : frames.wrapExpression(this.wrapResult(body, result), site);
    if (ts.isArrowFunction(visited)) return this.withBody(visited, wrapped);
    const { parameters, typeParameters, type, modifiers, asteriskToken, name } = visited;
    if (ts.isFunctionDeclaration(visited)) {
      return factory.updateFunctionDeclaration(
        visited,
        modifiers,
        asteriskToken,
        visited.name,
        typeParameters,
        parameters,
        type,
        wrapped,
      );
    }
    if (ts.isFunctionExpression(visited)) {
      return factory.updateFunctionExpression(
        visited,
        visited.modifiers,
        asteriskToken,
        visited.name,
        typeParameters,
        parameters,
        type,
        wrapped,
      );
    }
    return factory.updateMethodDeclaration(
      visited as ts.MethodDeclaration,
      modifiers,
      asteriskToken,
      name as ts.PropertyName,
      visited.questionToken,
      typeParameters,
      parameters,
      type,
      wrapped,
    );
  }

  private editArrow(node: ts.ArrowFunction, result: ResultEdit): ts.ArrowFunction {
    const visited = this.visitChildren(node);
    return this.withBody(visited, this.wrapResult(visited.body as ts.Expression, result));
  }

  private withBody(node: ts.ArrowFunction, body: ts.ConciseBody): ts.ArrowFunction {
    const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken } = node;
    return this.factory.updateArrowFunction(
      node,
      modifiers,
      typeParameters,
      parameters,
      type,
      equalsGreaterThanToken,
      body,
    );
  }

  /** `function f() {…}` to `var f = function () {…}`, which a block can hold; see hoisting.ts. */
  private asVariable(node: ts.FunctionDeclaration): ts.Statement {
    const { ts, factory, hooks } = this;
    const edit = this.analysis.edits.get(node);
    const declaration =
      edit?.kind === 'function'
        ? (this.editFunction(node, edit) as ts.FunctionDeclaration)
        : this.visitChildren(node);
    const { asteriskToken, parameters, body } = declaration;
    const modifiers = ts.getModifiers(declaration);
    const value = factory.createFunctionExpression(
      modifiers,
      asteriskToken,
      undefined,
      undefined,
      parameters,
      undefined,
      body!,
    );
    const statement = hooks.variable(ts.NodeFlags.None, node.name!, ts.setTextRange(value, node));
    return ts.setTextRange(statement, node);
  }

  private editClass(
    node: ts.ClassDeclaration | ts.ClassExpression,
  ): ts.VisitResult<ts.Node | undefined> {
    const visited = this.visitChildren(node);
    const legacy = this.context.getCompilerOptions().experimentalDecorators;
    return legacy ? visited : takeOut(this.ts, this.context, visited);
  }

  // Yield points.

  private editAwait(
    node: ts.AwaitExpression | ts.YieldExpression,
    { site, named, marks }: EditOf<'await'>,
  ): ts.Expression {
    const { ts, factory, hooks } = this;
    const operand = this.visitExpression(node.expression!);
    const suspended = hooks.operand('suspend', operand, site, marks);
    const updated = ts.isYieldExpression(node)
      ? factory.updateYieldExpression(node, undefined, suspended)
      : factory.updateAwaitExpression(node, suspended);
    return hooks.resume(updated, node, named);
  }

  /** `function (state) {…}` to `$d.steps($s + site, function (state, $f) {…})`. */
  private editSteps(node: ts.FunctionExpression, site: number): ts.Expression {
    const { factory, hooks } = this;
    const visited = this.visitChildren(node);
    const frame = factory.createParameterDeclaration(undefined, undefined, hooks.names.frame);
    const updated = factory.updateFunctionExpression(
      visited,
      visited.modifiers,
      visited.asteriskToken,
      visited.name,
      visited.typeParameters,
      [...visited.parameters, frame],
      visited.type,
      visited.body,
    );
    return hooks.runtime('steps', [hooks.site(site), updated]);
  }

  private editStep(
    node: ts.ReturnStatement,
    { how, site, marks }: EditOf<'step'>,
  ): ts.ReturnStatement {
    const { factory, hooks } = this;
    const step = node.expression as ts.ArrayLiteralExpression;
    const [code, value] = step.elements;
    const operand = hooks.operand(how, this.visitExpression(value), site, marks);
    const updated = factory.updateArrayLiteralExpression(step, [code, operand]);
    return factory.updateReturnStatement(node, updated);
  }

  private editYield(node: ts.YieldExpression, { site, named }: EditOf<'yield'>): ts.Expression {
    const { factory, hooks } = this;
    const operand = node.expression
      ? this.visitExpression(node.expression)
      : factory.createVoidZero();
    const suspended = hooks.operand('suspend', operand, site, false);
    const updated = factory.updateYieldExpression(node, undefined, suspended);
    return hooks.resume(updated, node, named);
  }

  private editDelegate(
    node: ts.YieldExpression,
    { site, named }: EditOf<'delegate'>,
  ): ts.Expression {
    const { factory, hooks } = this;
    const operand = this.visitExpression(node.expression!);
    const iterated = hooks.operand('iterate', operand, site, false);
    const updated = factory.updateYieldExpression(node, node.asteriskToken, iterated);
    return hooks.resume(updated, node, named);
  }

  private editReturn(node: ts.ReturnStatement, result: ResultEdit): ts.ReturnStatement {
    const value = this.wrapResult(this.visitExpression(node.expression!), result);
    return this.factory.updateReturnStatement(node, value);
  }

  private wrapResult(value: ts.Expression, result: ResultEdit | undefined): ts.Expression {
    if (result === undefined) return value;
    const { hooks } = this;
    if (result.how === 'tag') return hooks.runtime('tag', [value], value);
    return hooks.operand(result.how, value, result.site, result.marks);
  }

  private visitExpression(node: ts.Expression): ts.Expression {
    return this.ts.visitNode(node, this.visit, this.ts.isExpression)!;
  }

  // Statements.

  private editForAwait(
    loop: ts.ForOfStatement,
    { site, resumeAfter }: Pick<EditOf<'forAwait'>, 'site' | 'resumeAfter'>,
  ): ts.VisitResult<ts.Statement> {
    const { ts, factory, hooks } = this;
    const { statement, expression } = loop;
    const inner = ts.isBlock(statement) ? statement.statements : [statement];
    const body = factory.createBlock([hooks.resumeStatement(), ...inner], true);
    const updated = factory.updateForOfStatement(
      loop,
      loop.awaitModifier,
      loop.initializer,
      hooks.operand('iterate', expression, site, false),
      ts.setTextRange(body, statement),
    );
    return resumeAfter ? [updated, hooks.resumeStatement()] : updated;
  }

  private editLabeled(node: ts.LabeledStatement): ts.Statement[] {
    return [this.visitChildren(node), this.hooks.resumeStatement()];
  }

  private editBlock(node: ts.Block, { resume, dispose }: EditOf<'block'>): ts.Block {
    const { ts, factory, hooks } = this;
    let statements: readonly ts.Statement[] = this.visitChildren(node).statements;
    if (dispose !== undefined) statements = this.awaitUsing.lower(statements, dispose);
    if (resume) statements = [hooks.resumeStatement(), ...statements];
    const list = ts.setTextRange(factory.createNodeArray(statements), node.statements);
    return factory.updateBlock(node, list);
  }

  private editLabeledUsing(node: ts.LabeledStatement, dispose: number): ts.Statement {
    const labels: ts.Identifier[] = [];
    let loop: ts.Statement = node;
    for (; this.ts.isLabeledStatement(loop); loop = loop.statement) labels.push(loop.label);
    return this.awaitUsing.lowerFor(this.visitChildren(loop as ts.ForStatement), labels, dispose);
  }

  private editUsingLoop(
    node: ts.ForStatement | ts.ForOfStatement,
    { dispose, inner }: EditOf<'usingLoop'>,
  ): ts.VisitResult<ts.Statement> {
    const visited = this.visitChildren(node);
    if (this.ts.isForStatement(visited)) return this.awaitUsing.lowerFor(visited, [], dispose);
    const lowered = this.awaitUsing.lowerForOf(visited, dispose);
    return inner?.kind === 'forAwait' ? this.editForAwait(lowered, inner) : lowered;
  }

  private editCall(
    node: ts.CallExpression | ts.NewExpression,
    edit: EditOf<'call'>,
  ): ts.Expression {
    const visited = this.visitChildren(node);
    return this.ts.isNewExpression(visited)
      ? this.calls.markNew(visited, edit.at!)
      : this.calls.mark(visited, edit);
  }
}
