/**
 * The effects of expressions, in the order in which they are evaluated.
 *
 * What is not listed here is not known, and opens the segments that run then.
 */

import type ts from 'typescript';
import type { Edit } from '../edits.js';
import { skipOuter } from '../outer-expressions.js';
import type { References } from '../references.js';
import { opensScope, type Declaration, type Scope } from '../scopes.js';
import type { Reference } from '../sources.js';
import type { TypeScript } from '../sites.js';
import {
  CONSOLE,
  CONSTANTS,
  containerMethod,
  isConsole,
  isMaker,
  isPure,
  PRIMITIVES,
  SLEEPS,
  SETTLED,
  timerCall,
  TIMERS,
} from './known.js';
import type { Names, Scopes } from './names.js';
import { OPEN, type Segment, type Effects } from './segment.js';

/** What all functions of one file share. */
export interface FileContext {
  readonly ts: TypeScript;
  readonly edits: ReadonlyMap<ts.Node, Edit>;
  readonly names: Names;
  readonly scopes: Scopes;
  readonly references: References;
  /** The segment that begins at a site. */
  segment(site: number): Segment;
  /** All that a function which is called, and not awaited, does. */
  callEffects(node: ts.FunctionLikeDeclaration, scope: Scope): Effects;
  /** Functions that settle a promise: the parameters of executors. */
  readonly settlers: Set<Declaration>;
  /** The function that is always the value of a variable, and the scope it stands in. */
  functionOf(declaration: Declaration): [ts.FunctionLikeDeclaration, Scope] | undefined;
}

export abstract class Expressions {
  /** The segments that may be running. */
  protected current: readonly Segment[] = [];
  protected scope: Scope;

  constructor(
    protected readonly context: FileContext,
    /** The scope of the function whose code this is. */
    private readonly own: Scope,
    /** Whether other functions may see its variables. */
    private readonly captured: boolean,
  ) {
    this.scope = own;
  }

  /** Control goes on in other segments. */
  protected abstract goOn(segments: readonly Segment[]): void;

  protected each(act: (segment: Segment) => void): void {
    this.current.forEach(act);
  }

  protected open(): void {
    this.each((segment) => segment.opens());
  }

  /** Looks at a node in the scope that it opens. */
  protected inScope(node: ts.Node, look: () => void): void {
    const outer = this.scope;
    if (opensScope(this.context.ts, node)) this.scope = this.context.scopes.of(node, outer);
    look();
    this.scope = outer;
  }

  protected expression(given: ts.Node): void {
    const { ts } = this.context;
    const node = ts.isExpression(given) ? skipOuter(ts, given) : given;
    if (node.flags & ts.NodeFlags.OptionalChain) this.maybe(() => this.expressionOf(node));
    else this.expressionOf(node);
  }

  private expressionOf(node: ts.Node): void {
    const { ts } = this.context;
    if (ts.isIdentifier(node)) this.variable(node, 'read');
    else if (ts.isFunctionLike(node)) return;
    else if (ts.isAwaitExpression(node)) this.awaited(node);
    else if (ts.isYieldExpression(node)) this.yielded(node);
    else if (ts.isBinaryExpression(node)) this.binary(node);
    else if (ts.isConditionalExpression(node)) this.conditional(node);
    else if (ts.isPropertyAccessExpression(node)) this.property(node, 'read');
    else if (ts.isElementAccessExpression(node)) this.element(node, 'read');
    else if (ts.isCallExpression(node)) this.call(node);
    else if (ts.isNewExpression(node)) this.make(node);
    else if (ts.isShorthandPropertyAssignment(node)) this.variable(node.name, 'read');
    else if (ts.isPropertyAssignment(node)) {
      if (ts.isComputedPropertyName(node.name)) this.expression(node.name.expression);
      this.expression(node.initializer);
    } else if (isUpdate(ts, node)) this.target(node.operand, true);
    else if (ts.isDeleteExpression(node)) this.target(node.expression, false);
    else if (isComputation(ts, node)) ts.forEachChild(node, (child) => this.expression(child));
    else if (!isLeaf(ts, node)) {
      ts.forEachChild(node, (child) => {
        if (ts.isExpression(child)) this.expression(child);
      });
      this.open();
    }
  }

  // ---- yield points ----------------------------------------------------------------------------

  private awaited(node: ts.AwaitExpression): void {
    this.expression(node.expression);
    const edit = this.context.edits.get(node);
    if (edit?.kind === 'await') this.goOn([this.context.segment(edit.site)]);
    else this.open();
  }

  private yielded(node: ts.YieldExpression): void {
    if (node.expression) this.expression(node.expression);
    const edit = this.context.edits.get(node);
    if (edit?.kind !== 'yield' && edit?.kind !== 'await') this.open();
    else this.goOn([this.context.segment(edit.site)]);
  }

  // ---- names -----------------------------------------------------------------------------------

  protected variable(node: ts.Identifier, how: 'read' | 'write'): void {
    const name = this.nameOf(node);
    if (name !== undefined) this.each((segment) => segment[how](name));
  }

  /** The name of a variable; undefined for constants, and where nobody else can see it. */
  private nameOf({ text }: ts.Identifier): string | undefined {
    const declaration = this.scope.lookup(text);
    if (declaration === undefined && CONSTANTS.has(text)) return undefined;
    if (declaration?.constant === true && declaration.module === undefined) return undefined;
    if (declaration !== undefined && !this.captured && this.isOwn(declaration.scope)) {
      return undefined;
    }
    return this.context.names.variable(text, declaration);
  }

  private isOwn(scope: Scope): boolean {
    for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
      if (at === this.own) return true;
    }
    return false;
  }

  private property(node: ts.PropertyAccessExpression, how: 'read' | 'write'): void {
    const { ts, names } = this.context;
    if (node.expression.kind === ts.SyntaxKind.SuperKeyword) return this.open();
    this.expression(node.expression);
    const name = node.name.text;
    if (names.accessors.has(name)) this.open();
    this.each((segment) => segment[how](names.property(name)));
  }

  private element(node: ts.ElementAccessExpression, how: 'read' | 'write'): void {
    this.expression(node.expression);
    this.expression(node.argumentExpression);
    const content = this.contentOf(node.expression);
    if (content === undefined) this.open();
    else this.each((segment) => segment[how](content));
  }

  /** The name of what is in a variable that always holds the same array, map or set. */
  protected contentOf(node: ts.Expression): string | undefined {
    const { ts, names } = this.context;
    const expression = skipOuter(ts, node);
    if (!ts.isIdentifier(expression)) return undefined;
    const declaration = this.scope.lookup(expression.text);
    const value = declaration?.constant === true ? declaration.value : undefined;
    if (value === undefined || declaration!.path.length > 0) return undefined;
    const made = skipOuter(ts, value);
    const isContainer =
      ts.isArrayLiteralExpression(made) ||
      (ts.isNewExpression(made) && isMadeContainer(this.builtinOf(made.expression)));
    return isContainer ? names.content(names.variable(expression.text, declaration)) : undefined;
  }

  // ---- assignments and operators ---------------------------------------------------------------

  private binary(node: ts.BinaryExpression): void {
    const { ts } = this.context;
    const operator = node.operatorToken.kind;
    if (isAssignment(ts, operator)) {
      const simple = operator === ts.SyntaxKind.EqualsToken;
      if (isPattern(ts, node.left)) {
        this.expression(node.right);
        return this.open();
      }
      // What the target is made of is evaluated first, then the value, then it is written.
      if (!simple) this.target(node.left, true, 'read');
      if (isShortCircuit(ts, operator)) this.maybe(() => this.expression(node.right));
      else this.expression(node.right);
      this.target(node.left, !simple);
    } else this.chain(node);
  }

  /** Long chains such as `a + b + …` nest on the left: they are gone through without recursion. */
  private chain(node: ts.BinaryExpression): void {
    const { ts } = this.context;
    const operations: ts.BinaryExpression[] = [];
    let left: ts.Expression = node;
    while (ts.isBinaryExpression(left) && !isAssignment(ts, left.operatorToken.kind)) {
      operations.push(left);
      left = left.left;
    }
    this.expression(left);
    for (const { operatorToken, right } of operations.reverse()) {
      if (isShortCircuit(ts, operatorToken.kind)) this.maybe(() => this.expression(right));
      else this.expression(right);
    }
  }

  /** Something is written, and read before where `reads`. */
  private target(given: ts.Expression, reads: boolean, only?: 'read'): void {
    const { ts } = this.context;
    const node = skipOuter(ts, given);
    for (const how of ['read', 'write'] as const) {
      if (how === 'read' ? !reads : only === 'read') continue;
      if (ts.isIdentifier(node)) this.variable(node, how);
      else if (ts.isPropertyAccessExpression(node)) this.property(node, how);
      else if (ts.isElementAccessExpression(node)) this.element(node, how);
      else this.open();
    }
  }

  private conditional(node: ts.ConditionalExpression): void {
    this.expression(node.condition);
    this.branches([() => this.expression(node.whenTrue), () => this.expression(node.whenFalse)]);
  }

  protected maybe(look: () => void): void {
    this.branches([look, () => {}]);
  }

  /** One of these happens. */
  protected branches(looks: readonly (() => void)[]): void {
    const before = this.current;
    const after = new Set<Segment>();
    for (const look of looks) {
      this.current = before;
      look();
      for (const segment of this.current) after.add(segment);
    }
    this.current = [...after];
  }

  // ---- calls -----------------------------------------------------------------------------------

  private call(node: ts.CallExpression): void {
    const { ts } = this.context;
    const callee = skipOuter(ts, node.expression);
    const reference = this.builtinOf(callee);
    if (ts.isIdentifier(callee) && this.settles(callee)) return this.settle(node);
    const timer = reference && timerCall(reference);
    if (timer !== undefined) {
      this.arguments(node.arguments);
      this.each((segment) => segment.write(TIMERS));
    } else if (reference && isConsole(reference)) {
      this.arguments(node.arguments);
      this.each((segment) => segment.write(CONSOLE));
    } else if (reference && isPure(reference)) {
      this.arguments(node.arguments);
    } else if (ts.isIdentifier(callee)) {
      this.arguments(node.arguments);
      this.callVariable(callee);
    } else if (ts.isPropertyAccessExpression(callee)) {
      this.callMethod(callee, node);
    } else {
      this.expression(callee);
      this.arguments(node.arguments);
      this.open();
    }
  }

  /** The global, or what Node exports, that an expression names without a detour. */
  private builtinOf(node: ts.Expression): Reference | undefined {
    const { ts, references } = this.context;
    let root = node;
    while (ts.isPropertyAccessExpression(root)) root = root.expression;
    if (!ts.isIdentifier(root)) return undefined;
    const declaration = this.scope.lookup(root.text);
    if (declaration !== undefined && declaration.module === undefined) return undefined;
    return references.resolve(node, this.scope);
  }

  private arguments(given: ts.NodeArray<ts.Expression> | undefined): void {
    given?.forEach((argument) => this.expression(argument));
  }

  private callVariable(callee: ts.Identifier): void {
    const declaration = this.scope.lookup(callee.text);
    if (declaration?.module === 'detsim' && SLEEPS.has(declaration.path[0])) return;
    const found = declaration && this.context.functionOf(declaration);
    if (found === undefined) return this.open();
    const effects = this.context.callEffects(...found);
    this.each((segment) => segment.include(effects));
  }

  private callMethod(callee: ts.PropertyAccessExpression, node: ts.CallExpression): void {
    // An operation of a task primitive tells what it does when it does it.
    if (this.isPrimitive(callee.expression)) return this.arguments(node.arguments);
    const method = containerMethod(callee.name.text);
    const content = method && this.contentOf(callee.expression);
    if (content === undefined) {
      this.expression(callee.expression);
      this.arguments(node.arguments);
      return this.open();
    }
    this.expression(callee.expression);
    this.arguments(node.arguments);
    if (method!.callsBack) this.callBack(node.arguments[0]);
    this.each((segment) => segment.read(content));
    if (method!.writes) this.each((segment) => segment.write(content));
  }

  /** Whether a variable always holds the same channel, lock, or the like, of detsim's. */
  private isPrimitive(node: ts.Expression): boolean {
    const { ts } = this.context;
    const declaration = ts.isIdentifier(node) ? this.scope.lookup(node.text) : undefined;
    const { constant, value, path = [] } = declaration ?? {};
    if (constant !== true || value === undefined || path.length > 0) return false;
    if (!ts.isNewExpression(value) || !ts.isIdentifier(value.expression)) return false;
    const made = declaration!.scope.lookup(value.expression.text);
    return made?.module === 'detsim' && PRIMITIVES.has(made.path[0]);
  }

  /** A function that is called at once, any number of times. */
  private callBack(callback: ts.Expression | undefined): void {
    const effects = callback === undefined ? OPEN : this.callbackEffects(callback);
    this.each((segment) => segment.include(effects));
  }

  /** All that a function does which stands here, or whose name does. */
  callbackEffects(given: ts.Expression): Effects {
    const { ts, scopes } = this.context;
    const node = skipOuter(ts, given);
    if (ts.isFunctionLike(node)) {
      const fn = node as ts.FunctionLikeDeclaration;
      return this.context.callEffects(fn, scopes.of(fn, this.scope));
    }
    if (!ts.isIdentifier(node)) return OPEN;
    if (this.settles(node)) {
      return { reads: [], writes: [SETTLED], closed: true, ends: false };
    }
    const declaration = this.scope.lookup(node.text);
    const found = declaration && this.context.functionOf(declaration);
    return found === undefined ? OPEN : this.context.callEffects(...found);
  }

  // ---- promises and other objects --------------------------------------------------------------

  private make(node: ts.NewExpression): void {
    const { ts } = this.context;
    const reference = this.builtinOf(node.expression);
    const [executor] = node.arguments ?? [];
    const isPromise =
      reference?.module === undefined && reference?.path[0] === 'Promise' && executor;
    if (isPromise && ts.isArrowFunction(executor)) return this.execute(executor);
    this.arguments(node.arguments);
    if (reference === undefined || !isMaker(reference)) this.open();
  }

  /** The executor of a promise runs at once; its parameters settle the promise. */
  private execute(executor: ts.ArrowFunction): void {
    const { ts, scopes } = this.context;
    noteSettlers(this.context, executor, scopes.of(executor, this.scope));
    const { body } = executor;
    this.inScope(executor, () => {
      if (ts.isBlock(body)) this.inScope(body, () => this.statements(body));
      else this.expression(body);
    });
  }

  protected abstract statements(block: ts.Block): void;

  private settles(node: ts.Identifier): boolean {
    const declaration = this.scope.lookup(node.text);
    return declaration !== undefined && this.context.settlers.has(declaration);
  }

  private settle(node: ts.CallExpression): void {
    this.arguments(node.arguments);
    this.each((segment) => segment.write(SETTLED));
  }
}

/** The parameters of a promise's executor settle it. */
export function noteSettlers(
  { ts, settlers }: FileContext,
  executor: ts.ArrowFunction,
  scope: Scope,
): void {
  for (const { name } of executor.parameters) {
    const declaration = ts.isIdentifier(name) ? scope.lookup(name.text) : undefined;
    if (declaration !== undefined) settlers.add(declaration);
  }
}

function isMadeContainer(reference: Reference | undefined): boolean {
  if (reference === undefined || !isMaker(reference)) return false;
  return /^(?:Map|Set|Array)$/.test(reference.path[0]);
}

function isUpdate(
  ts: TypeScript,
  node: ts.Node,
): node is ts.PrefixUnaryExpression | ts.PostfixUnaryExpression {
  if (ts.isPostfixUnaryExpression(node)) return true;
  const { PlusPlusToken, MinusMinusToken } = ts.SyntaxKind;
  return (
    ts.isPrefixUnaryExpression(node) &&
    (node.operator === PlusPlusToken || node.operator === MinusMinusToken)
  );
}

function isAssignment(ts: TypeScript, kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;
}

function isShortCircuit(ts: TypeScript, kind: ts.SyntaxKind): boolean {
  const { SyntaxKind } = ts;
  return (
    kind === SyntaxKind.AmpersandAmpersandToken ||
    kind === SyntaxKind.BarBarToken ||
    kind === SyntaxKind.QuestionQuestionToken ||
    kind === SyntaxKind.AmpersandAmpersandEqualsToken ||
    kind === SyntaxKind.BarBarEqualsToken ||
    kind === SyntaxKind.QuestionQuestionEqualsToken
  );
}

function isPattern(ts: TypeScript, node: ts.Expression): boolean {
  return ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node);
}

/** What only puts together what its parts give. */
function isComputation(ts: TypeScript, node: ts.Node): boolean {
  return (
    ts.isPrefixUnaryExpression(node) ||
    ts.isTypeOfExpression(node) ||
    ts.isVoidExpression(node) ||
    ts.isTemplateExpression(node) ||
    ts.isTemplateSpan(node) ||
    ts.isArrayLiteralExpression(node) ||
    ts.isObjectLiteralExpression(node)
  );
}

/** What does nothing at all. */
function isLeaf(ts: TypeScript, node: ts.Node): boolean {
  return (
    ts.isLiteralExpression(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    node.kind === ts.SyntaxKind.ThisKeyword ||
    node.kind === ts.SyntaxKind.TrueKeyword ||
    node.kind === ts.SyntaxKind.FalseKeyword ||
    node.kind === ts.SyntaxKind.NullKeyword ||
    ts.isOmittedExpression(node) ||
    ts.isTypeNode(node)
  );
}
