/**
 * The static effect set of every segment of a file: which names it reads and writes, and whether
 * that is all. Two segments whose sets are closed and do not meet can change places without a
 * difference.
 */

import type ts from 'typescript';
import type { Edit } from '../edits.js';
import { References } from '../references.js';
import { opensScope, Scope, type Declaration } from '../scopes.js';
import type { TypeScript } from '../sites.js';
import { noteSettlers, type FileContext } from './expressions.js';
import { Flow } from './flow.js';
import { timerCall } from './known.js';
import { Names, Scopes, someNode } from './names.js';
import { OPEN, Segment, type Effects } from './segment.js';

export type { Effects } from './segment.js';

/** The effects of the segment that begins at each site, by its index; open where there is none. */
export function effectsOf(
  ts: TypeScript,
  file: ts.SourceFile,
  edits: ReadonlyMap<ts.Node, Edit>,
  touched: ReadonlySet<ts.Node>,
): ReadonlyMap<number, Effects> {
  return new FileEffects(ts, file, edits, touched).collect();
}

class FileEffects implements FileContext {
  readonly names: Names;
  readonly scopes: Scopes;
  readonly references: References;
  readonly settlers = new Set<Declaration>();
  private readonly segments = new Map<number, Segment>();
  /** What functions do that are called; undefined while that is being found out. */
  private readonly called = new Map<ts.Node, Effects | undefined>();

  constructor(
    readonly ts: TypeScript,
    private readonly file: ts.SourceFile,
    readonly edits: ReadonlyMap<ts.Node, Edit>,
    private readonly touched: ReadonlySet<ts.Node>,
  ) {
    this.names = new Names(ts, file);
    this.scopes = new Scopes((node, parent) => new Scope(ts, node, parent));
    this.references = new References(ts);
  }

  collect(): ReadonlyMap<number, Effects> {
    this.visitAll();
    const effects = new Map<number, Effects>();
    for (const [site, segment] of this.segments) effects.set(site, segment.effects);
    return effects;
  }

  segment(site: number): Segment {
    let segment = this.segments.get(site);
    if (segment === undefined) this.segments.set(site, (segment = new Segment()));
    return segment;
  }

  /** Goes through all nodes with an edit below. Their depth has no limit. */
  private visitAll(): void {
    const { ts } = this;
    const pending: { node: ts.Node; outer: Scope | undefined }[] = [
      { node: this.file, outer: undefined },
    ];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { node, outer } = next;
      const scope = opensScope(ts, node) ? this.scopes.of(node, outer) : outer!;
      this.visit(node, scope);
      ts.forEachChild(node, (child) => {
        if (this.touched.has(child)) pending.push({ node: child, outer: scope });
      });
    }
  }

  private visit(node: ts.Node, scope: Scope): void {
    const { ts } = this;
    const edit = this.edits.get(node);
    if (ts.isNewExpression(node)) this.visitNew(node, scope);
    if (edit?.kind === 'function') this.visitFunction(node as ts.FunctionLikeDeclaration, scope);
    else if (edit?.kind === 'reaction' && ts.isCallExpression(node)) {
      this.callback(edit.site, node.arguments, scope);
      // The promise that the reaction gave is settled.
      this.segment(edit.site).ends();
    } else if (edit?.kind === 'call' && edit.at !== undefined && ts.isCallExpression(node)) {
      const reference = this.references.resolve(node.expression, scope);
      if (reference && timerCall(reference) === 'sets') {
        this.callback(edit.at, node.arguments.slice(0, 1), scope);
      }
    }
  }

  private visitNew({ arguments: given }: ts.NewExpression, scope: Scope): void {
    const executor = given?.[0];
    if (executor === undefined || !this.ts.isArrowFunction(executor)) return;
    noteSettlers(this, executor, this.scopes.of(executor, scope));
  }

  private visitFunction(node: ts.FunctionLikeDeclaration, scope: Scope): void {
    const edit = this.edits.get(node);
    if (edit?.kind !== 'function' || node.body === undefined) return;
    new Flow(this, scope, this.hasFunctions(node.body)).run(this.segment(edit.site), node.body);
  }

  /** The step that begins at a site is a call of one of these. */
  private callback(site: number, callbacks: readonly ts.Expression[], scope: Scope): void {
    const segment = this.segment(site);
    const flow = new Flow(this, scope, true);
    for (const callback of callbacks) segment.include(flow.callbackEffects(callback));
  }

  callEffects(node: ts.FunctionLikeDeclaration, scope: Scope): Effects {
    if (node.asteriskToken !== undefined || node.body === undefined) return OPEN;
    // Defaults and patterns of parameters are evaluated by the call.
    const plain = node.parameters.every(
      ({ name, initializer }) => this.ts.isIdentifier(name) && initializer === undefined,
    );
    if (!plain) return OPEN;
    // An async function is a frame, which says for itself what it does.
    if (this.edits.get(node)?.kind === 'function') return NOTHING;
    if (this.called.has(node)) return this.called.get(node) ?? OPEN;
    this.called.set(node, undefined);
    const segment = new Segment();
    new Flow(this, scope, this.hasFunctions(node.body)).run(segment, node.body);
    const effects = segment.effects;
    this.called.set(node, effects);
    return effects;
  }

  functionOf(declaration: Declaration): [ts.FunctionLikeDeclaration, Scope] | undefined {
    const { ts } = this;
    const { value, constant, path, scope } = declaration;
    if (!constant || value === undefined || path.length > 0) return undefined;
    if (!ts.isFunctionLike(value)) return undefined;
    const node = value as ts.FunctionLikeDeclaration;
    return [node, this.scopes.of(node, scope)];
  }

  private hasFunctions(body: ts.Node): boolean {
    return someNode(
      this.ts,
      body,
      (node) => this.ts.isFunctionLike(node) || this.ts.isClassLike(node),
    );
  }
}

const NOTHING: Effects = { reads: [], writes: [], closed: true, ends: false };
