/**
 * The one pass over a source file that finds its sites and decides the edits.
 *
 * The walker keeps the path from the file to the current node, the innermost function and the
 * innermost scope; each construct has one small method. Nothing is changed here.
 */

import type ts from 'typescript';
import { calleeText } from './callee-text.js';
import { isLoad, isPlainPath, reactionOf } from './callees.js';
import { effectsOf } from './effects/index.js';
import type { Analysis, CallMarks, Edit, Problem, ResultEdit } from './edits.js';
import { isPrintedInErrors } from './error-texts.js';
import { blockConflicts } from './hoisting.js';
import { bodyRunBy, declaresHelper, stepOf, stepsRunBy } from './lowered-async.js';
import { ANONYMOUS, className, functionName } from './names.js';
import { skipOuter } from './outer-expressions.js';
import { References } from './references.js';
import { opensScope, Scope } from './scopes.js';
import { oneLine, type Site, type SiteKind, type TypeScript } from './sites.js';
import { sourceKindOf } from './sources.js';
import { hasTopLevelAwait } from './top-level-await.js';
import { awaitsAroundDecorators } from './decorators.js';
import { isAwaitUsing } from './using.js';
import { isTypeOnly } from './type-only.js';
import { isNeverThenable } from './values.js';

/** The function, or the module, whose code is being walked. */
interface Body {
  readonly name: string;
  /** Whether a frame exists in it: await is allowed. */
  readonly frame: boolean;
  /** What becomes of a returned value. */
  readonly result: ResultEdit['how'] | undefined;
  /** How an await is written where a compiler has lowered it; see lowered-async.ts. */
  readonly lowered?: 'yield' | 'steps';
}

export class Walker {
  private readonly sites: Site[] = [];
  private readonly edits = new Map<ts.Node, Edit>();
  private readonly touched = new Set<ts.Node>();
  private readonly hoisted = new Set<ts.FunctionDeclaration>();
  private readonly problems: Problem[] = [];
  private readonly identifiers = new Set<string>();
  /** Whether a call's result is awaited, or gets a reaction, at once. */
  private readonly operands = new Map<ts.CallExpression, 'direct' | 'clear'>();
  /** The functions that stand for the bodies of async functions. */
  private readonly lowered = new Map<ts.Node, 'yield' | 'steps' | 'part'>();
  private readonly references: References;
  private readonly path: ts.Node[] = [];
  private body: Body;
  private scope: Scope;

  constructor(
    private readonly ts: TypeScript,
    private readonly file: ts.SourceFile,
    private readonly stub: boolean,
  ) {
    this.references = new References(ts);
    this.scope = new Scope(ts, file, undefined);
    this.body = { name: '', frame: hasTopLevelAwait(ts, file), result: undefined };
  }

  analyze(): Analysis {
    const topLevelAwait = this.body.frame;
    this.path.push(this.file);
    if (topLevelAwait) {
      const site = this.addSite('function', this.file, 'module', this.file);
      const using = this.file.statements.find((s) => isAwaitUsing(this.ts, s));
      const dispose = using && this.addDisposal(using);
      this.edit(this.file, { kind: 'module', site, dispose });
    }
    for (const statement of this.file.statements) this.visit(statement);
    const effects = effectsOf(this.ts, this.file, this.edits, this.touched);
    return {
      sites: this.sites.map((site, index) => ({ ...site, effects: effects.get(index) })),
      edits: this.edits,
      touched: this.touched,
      hoisted: this.hoisted,
      names: {
        runtime: this.unusedName('$d'),
        sites: this.unusedName('$s'),
        frame: this.unusedName('$f'),
      },
      topLevelAwait,
      problems: this.problems,
    };
  }

  private unusedName(wanted: string): string {
    let name = wanted;
    for (let i = 1; this.identifiers.has(name); i++) name = `${wanted}${i}`;
    return name;
  }

  private addSite(kind: SiteKind, node: ts.Node, text: string, at: ts.Node = node): number {
    const position = at === this.file ? 0 : at.getStart(this.file);
    const { line, character } = this.file.getLineAndCharacterOfPosition(position);
    const fn = this.body.name;
    this.sites.push({ kind, line: line + 1, column: character + 1, fn, text: oneLine(text) });
    return this.sites.length - 1;
  }

  private edit(node: ts.Node, edit: Edit): void {
    this.edits.set(node, edit);
    for (let i = this.path.length - 1; i >= 0 && !this.touched.has(this.path[i]); i--) {
      this.touched.add(this.path[i]);
    }
    this.touched.add(node);
  }

  private textOf(node: ts.Node): string {
    return this.file.text.slice(node.getStart(this.file), node.end);
  }

  private readonly visit = (node: ts.Node): void => {
    const { ts } = this;
    if (ts.isIdentifier(node)) return void this.identifiers.add(node.text);
    if (isTypeOnly(ts, node) || declaresHelper(ts, node)) return;
    this.path.push(node);
    const outer = this.scope;
    if (opensScope(ts, node)) this.scope = new Scope(ts, node, outer);
    this.visitKind(node);
    this.scope = outer;
    this.path.pop();
  };

  /** Visits parts of `node` in an order of their own. */
  private within(node: ts.Node, visitParts: () => void): void {
    this.path.push(node);
    visitParts();
    this.path.pop();
  }

  private readonly visitChildren = (node: ts.Node): void => {
    this.ts.forEachChild(node, this.visit);
  };

  private visitKind(node: ts.Node): void {
    const { ts } = this;
    if (ts.isFunctionLike(node)) this.visitFunction(node as ts.FunctionLikeDeclaration);
    else if (ts.isClassLike(node)) this.visitClass(node);
    else if (ts.isCallExpression(node)) this.visitCall(node);
    else if (ts.isNewExpression(node)) this.visitNew(node);
    else if (ts.isAwaitExpression(node)) this.visitAwait(node);
    else if (ts.isYieldExpression(node)) this.visitYield(node);
    else if (ts.isReturnStatement(node)) this.visitReturn(node);
    else if (ts.isTryStatement(node)) this.visitTry(node);
    else if (ts.isBlock(node)) this.visitBlock(node);
    else if (ts.isForOfStatement(node)) this.visitForOf(node);
    else if (ts.isForStatement(node)) this.visitFor(node);
    else if (ts.isLabeledStatement(node)) this.visitLabeled(node);
    else if (ts.isBinaryExpression(node)) this.visitBinary(node);
    else if (ts.isModuleDeclaration(node)) this.visitNamespace(node);
    else this.visitChildren(node);
  }

  /** Long chains such as `a + b + …` nest on the left: they are walked without recursion. */
  private visitBinary(node: ts.BinaryExpression): void {
    const { ts } = this;
    const chain = [node];
    for (let left = node.left; ts.isBinaryExpression(left); left = left.left) {
      chain.push(left);
      this.path.push(left);
    }
    this.visit(chain[chain.length - 1].left);
    for (let i = chain.length - 1; i >= 0; i--) {
      this.visit(chain[i].right);
      if (i > 0) this.path.pop();
    }
  }

  // Functions, classes, modules.

  private visitFunction(node: ts.FunctionLikeDeclaration): void {
    const { ts, path } = this;
    const outer = this.body;
    // Decorators and computed names are evaluated by the code around the function.
    if (ts.canHaveDecorators(node)) ts.getDecorators(node)?.forEach(this.visit);
    if (node.name) this.visit(node.name);
    for (const parameter of node.parameters) {
      this.within(parameter, () => ts.getDecorators(parameter)?.forEach(this.visit));
    }

    this.body = this.bodyOf(node, functionName(ts, node, path.slice(0, -1)));
    for (const parameter of node.parameters) {
      this.within(parameter, () => {
        this.visit(parameter.name);
        if (parameter.initializer) this.visit(parameter.initializer);
      });
    }
    if (node.body) this.visitFunctionBody(node, node.body);
    this.body = outer;
  }

  private bodyOf(node: ts.FunctionLikeDeclaration, name: string): Body {
    const { ts } = this;
    const lowered = this.lowered.get(node);
    if (lowered !== undefined) {
      // It is a part of the function that calls the helper, or of what is made by the call.
      const made = functionName(ts, node, this.path.slice(0, -2));
      const own = made === ANONYMOUS ? this.body.name : made;
      if (lowered === 'part') return { name: own, frame: false, result: undefined };
      return { name: own, frame: lowered === 'yield', result: 'leave', lowered };
    }
    const frame = isAsync(ts, node);
    const generator = node.asteriskToken !== undefined;
    if (frame) return { name, frame, result: generator ? 'suspend' : 'leave' };
    const tags = this.stub && !generator && !ts.isConstructorDeclaration(node);
    return { name, frame, result: tags && !ts.isSetAccessor(node) ? 'tag' : undefined };
  }

  private visitFunctionBody(node: ts.FunctionLikeDeclaration, body: ts.ConciseBody): void {
    const { ts } = this;
    const { frame, lowered } = this.body;
    if (ts.isBlock(body)) {
      if (lowered === 'steps') {
        this.edit(node, { kind: 'steps', site: this.addFunctionSite(node, body) });
      } else if (frame) this.addFrame(node, body);
      this.within(body, () => this.visitBlock(body));
      return;
    }
    const site = frame ? this.addFunctionSite(node, body) : undefined;
    const result = this.resultOf(body, body);
    if (site !== undefined) this.edit(node, { kind: 'function', site, result, hoisted: [] });
    else if (result !== undefined) this.edit(node, { kind: 'arrowResult', result });
    this.visit(body);
  }

  private addFrame(node: ts.FunctionLikeDeclaration, body: ts.Block): void {
    const conflicts = blockConflicts(this.ts, body);
    // Of several declarations of one name only the last has an effect.
    const last = new Map(conflicts.map((d) => [d.name!.text, d]));
    const site = this.addFunctionSite(node, body);
    this.edit(node, { kind: 'function', site, hoisted: [...last.values()] });
    for (const conflict of conflicts) this.hoisted.add(conflict);
  }

  private addFunctionSite(node: ts.FunctionLikeDeclaration, body: ts.Node): number {
    const { AsyncKeyword } = this.ts.SyntaxKind;
    const start = node.modifiers?.find((m) => m.kind === AsyncKeyword) ?? node;
    const text = this.file.text.slice(start.getStart(this.file), body.getStart(this.file));
    return this.addSite('function', node, text, node.name ?? start);
  }

  private visitClass(node: ts.ClassLikeDeclaration): void {
    const { ts } = this;
    const outer = this.body;
    const name = className(ts, node, this.path.slice(0, -1));
    if (outer.frame && awaitsAroundDecorators(ts, node)) this.edit(node, { kind: 'awaitingClass' });
    const inside = (member: string): Body => ({
      name: `${name}.${member}`,
      frame: false,
      result: undefined,
    });
    ts.getDecorators(node)?.forEach(this.visit);
    if (node.name) this.visit(node.name);
    node.heritageClauses?.forEach(this.visit);
    for (const member of node.members) {
      if (ts.isPropertyDeclaration(member)) {
        this.within(member, () => {
          ts.getDecorators(member)?.forEach(this.visit);
          this.visit(member.name);
          this.body = inside(member.name.getText(this.file));
          if (member.initializer) this.visit(member.initializer);
        });
      } else {
        if (ts.isClassStaticBlockDeclaration(member)) this.body = inside('static');
        this.visit(member);
      }
      this.body = outer;
    }
  }

  private visitNamespace(node: ts.ModuleDeclaration): void {
    const outer = this.body;
    this.body = { name: node.name.text, frame: false, result: undefined };
    this.visitChildren(node);
    this.body = outer;
  }

  // Yield points.

  private visitAwait(node: ts.AwaitExpression): void {
    if (!this.needFrame(node, '`await`')) return this.visitChildren(node);
    const site = this.addSite('await', node, this.textOf(node.expression));
    const marks = this.markOperand(node.expression, 'direct');
    this.edit(node, { kind: 'await', site, named: this.isPrinted(node), marks });
    this.visitChildren(node);
  }

  private visitYield(node: ts.YieldExpression): void {
    const { expression } = node;
    const { frame, lowered } = this.body;
    if (lowered === 'yield' && expression !== undefined && node.asteriskToken === undefined) {
      const site = this.addSite('await', node, this.textOf(expression));
      const marks = this.markOperand(expression, 'direct');
      this.edit(node, { kind: 'await', site, named: false, marks });
    } else if (frame && lowered === undefined) {
      const site = this.addSite('yield', node, expression ? this.textOf(expression) : '');
      const kind = node.asteriskToken ? 'delegate' : 'yield';
      this.edit(node, { kind, site, named: this.isPrinted(node) });
    }
    this.visitChildren(node);
  }

  private isPrinted(node: ts.Expression): boolean {
    return isPrintedInErrors(this.ts, node, this.path.slice(0, -1));
  }

  private visitReturn(node: ts.ReturnStatement): void {
    if (this.body.lowered === 'steps') {
      this.visitStep(node);
    } else {
      const result = node.expression && this.resultOf(node.expression, node);
      if (result !== undefined) this.edit(node, { kind: 'return', result });
    }
    this.visitChildren(node);
  }

  private visitStep(node: ts.ReturnStatement): void {
    const step = stepOf(this.ts, node);
    if (step === undefined) return;
    const { how, operand } = step;
    if (how === 'leave' && isNeverThenable(this.ts, operand)) return;
    const kind = how === 'leave' ? 'return' : 'await';
    const site = this.addSite(kind, how === 'leave' ? node : operand, this.textOf(operand));
    this.edit(node, { kind: 'step', how, site, marks: this.markOperand(operand, 'direct') });
  }

  private resultOf(value: ts.Expression, at: ts.Node): ResultEdit | undefined {
    const how = this.body.result;
    if (how === undefined) return undefined;
    if (how !== 'suspend' && isNeverThenable(this.ts, value)) return undefined;
    if (how === 'tag') return { how, site: -1, marks: false };
    const marks = how === 'leave' && this.markOperand(value, 'direct');
    return { how, site: this.addSite('return', at, this.textOf(value)), marks };
  }

  private visitTry(node: ts.TryStatement): void {
    const { tryBlock, catchClause, finallyBlock } = node;
    this.visit(tryBlock);
    if (catchClause) this.visitCatch(catchClause);
    if (finallyBlock) this.visitResumingBlock(finallyBlock);
  }

  private visitCatch(node: ts.CatchClause): void {
    const outer = this.scope;
    this.scope = new Scope(this.ts, node, outer);
    this.within(node, () => {
      if (node.variableDeclaration) this.visit(node.variableDeclaration);
      this.visitResumingBlock(node.block);
    });
    this.scope = outer;
  }

  /** A block that is entered from an await that failed, without passing its `resume`. */
  private visitResumingBlock(node: ts.Block): void {
    if (this.body.frame) this.edit(node, { kind: 'block', resume: true });
    this.visit(node);
  }

  private visitBlock(node: ts.Block): void {
    const using = node.statements.find((s) => isAwaitUsing(this.ts, s));
    if (using && this.needFrame(using, '`await using`')) {
      const resume = this.edits.has(node);
      this.edit(node, { kind: 'block', resume, dispose: this.addDisposal(using) });
    }
    this.visitChildren(node);
  }

  private addDisposal(declaration: ts.Node): number {
    return this.addSite('dispose', declaration, this.textOf(declaration));
  }

  private visitFor(node: ts.ForStatement): void {
    const { ts } = this;
    const { initializer } = node;
    const labeled = ts.isLabeledStatement(this.path[this.path.length - 2]);
    const using = initializer && !labeled && isAwaitUsing(ts, initializer);
    if (using && this.needFrame(node, '`await using`')) {
      this.edit(node, { kind: 'usingLoop', dispose: this.addDisposal(initializer) });
    }
    this.visitChildren(node);
  }

  private visitForOf(node: ts.ForOfStatement): void {
    const { ts } = this;
    let edit: Edit | undefined;
    if (node.awaitModifier && this.needFrame(node, '`for await`')) {
      const site = this.addSite('forAwait', node, calleeText(ts, node.expression));
      const resumeAfter = !ts.isLabeledStatement(this.path[this.path.length - 2]);
      edit = { kind: 'forAwait', site, resumeAfter };
    }
    if (isAwaitUsing(ts, node.initializer) && this.needFrame(node, '`await using`')) {
      const dispose = this.addDisposal(node.initializer);
      edit = { kind: 'usingLoop', dispose, inner: edit };
    }
    if (edit !== undefined) this.edit(node, edit);
    this.visitChildren(node);
  }

  private visitLabeled(node: ts.LabeledStatement): void {
    const { ts, path } = this;
    let loop: ts.Statement = node;
    while (ts.isLabeledStatement(loop)) loop = loop.statement;
    const outermost = !ts.isLabeledStatement(path[path.length - 2]);
    if (outermost && this.body.frame) {
      if (ts.isForOfStatement(loop) && loop.awaitModifier) this.edit(node, { kind: 'resumeAfter' });
      if (ts.isForStatement(loop) && loop.initializer && isAwaitUsing(ts, loop.initializer)) {
        this.edit(node, { kind: 'labeledUsing', dispose: this.addDisposal(loop.initializer) });
      }
    }
    this.visitChildren(node);
  }

  private needFrame(node: ts.Node, construct: string): boolean {
    if (this.body.frame) return true;
    const where = 'in async functions and at the top level of modules';
    const message = `${construct} is only allowed ${where}.`;
    this.problems.push({ position: node.getStart(this.file), message });
    return false;
  }

  // Calls.

  /**
   * Notes that the value of `node`, if a call gives it, is used at once.
   * @returns whether the mark has to be set by whoever uses it: the call has no arguments, and
   *   nothing is called before it
   */
  private markOperand(node: ts.Expression, operand: 'direct' | 'clear'): boolean {
    const { ts } = this;
    const call = skipOuter(ts, node);
    if (!ts.isCallExpression(call) || reactionOf(ts, call) || isLoad(ts, call)) return false;
    const certain = !(call.flags & ts.NodeFlags.OptionalChain) && call.arguments.length === 0;
    if (certain && isPlainPath(ts, call.expression)) return true;
    this.operands.set(call, operand);
    return false;
  }

  private visitCall(node: ts.CallExpression): void {
    const body = bodyRunBy(this.ts, node);
    if (body !== undefined) this.lowered.set(body, body.asteriskToken ? 'yield' : 'part');
    const steps = stepsRunBy(this.ts, node);
    if (steps !== undefined) this.lowered.set(steps, 'steps');
    const reaction = reactionOf(this.ts, node);
    if (reaction !== undefined) {
      const text = calleeText(this.ts, node.expression);
      const site = this.addSite('reaction', node, text, reaction.name);
      const marks = this.markOperand(reaction.expression, 'clear');
      this.edit(node, { kind: 'reaction', site, marks });
    } else {
      this.markCall(node);
    }
    this.visitChildren(node);
  }

  private visitNew(node: ts.NewExpression): void {
    if (node.arguments?.length && this.isSource(node.expression, 'new')) {
      this.edit(node, { kind: 'call', at: this.addCallSite(node.expression) });
    }
    this.visitChildren(node);
  }

  private markCall(node: ts.CallExpression): void {
    const { ts } = this;
    if (isLoad(ts, node)) return;
    const marks: CallMarks = {};
    const operand = this.operands.get(node);
    if (operand !== undefined) marks.operand = operand;
    if (this.isSource(node.expression, 'call')) marks.at = this.addCallSite(node.expression);
    if (marks.operand !== undefined || marks.at !== undefined) {
      this.edit(node, { kind: 'call', ...marks });
    }
  }

  private addCallSite(callee: ts.Expression): number {
    const { ts } = this;
    const expression = skipOuter(ts, callee);
    const at = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    return this.addSite('call', callee, this.textOf(callee), at);
  }

  /** Whether a callee is a source of nondeterminism; `new Date()` needs no site. */
  private isSource(callee: ts.Expression, how: 'call' | 'new'): boolean {
    const reference = this.references.resolve(callee, this.scope);
    if (reference === undefined || sourceKindOf(reference) === undefined) return false;
    return how === 'call' || reference.path[reference.path.length - 1] !== 'Date';
  }
}

function isAsync(ts: TypeScript, node: ts.FunctionLikeDeclaration): boolean {
  return node.modifiers?.some((m) => m.kind === ts.SyntaxKind.AsyncKeyword) ?? false;
}
