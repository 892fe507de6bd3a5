/**
 * Follows the control flow of one function and notes what each of its segments may do.
 *
 * At every place it knows which segments may be running there; an effect belongs to all of them.
 * Loops are gone through until no more segments come round. After the monotone frameworks of
 * data-flow analysis (Kam and Ullman, Acta Informatica 1977).
 */

import type ts from 'typescript';
import { Expressions, type FileContext } from './expressions.js';
import type { Segment } from './segment.js';

/** A statement that can be left by `break`, and perhaps gone on with by `continue`. */
interface Target {
  readonly labels: readonly string[];
  readonly isLoop: boolean;
  /** Whether `break` without a label leaves it. */
  readonly plain: boolean;
  readonly left: Set<Segment>;
  readonly continued: Set<Segment>;
}

export class Flow extends Expressions {
  /** All segments that may be running while a `try` block is gone through, innermost last. */
  private readonly tries: Set<Segment>[] = [];
  private readonly targets: Target[] = [];
  private labels: string[] = [];

  /** Goes through a body that is entered in a segment; its end ends the function. */
  run(entry: Segment, body: ts.ConciseBody): void {
    this.goOn([entry]);
    if (this.context.ts.isBlock(body)) this.inScope(body, () => this.statements(body));
    else this.expression(body);
    this.each((segment) => segment.ends());
  }

  protected goOn(segments: readonly Segment[]): void {
    this.current = segments;
    for (const seen of this.tries) for (const segment of segments) seen.add(segment);
  }

  protected statements(block: ts.Block | ts.CaseOrDefaultClause): void {
    for (const statement of block.statements) this.statement(statement);
  }

  private statement(node: ts.Statement): void {
    this.inScope(node, () => this.statementIn(node));
  }

  private statementIn(node: ts.Statement): void {
    const { ts } = this.context;
    if (ts.isBlock(node)) this.statements(node);
    else if (ts.isExpressionStatement(node)) this.expression(node.expression);
    else if (ts.isVariableStatement(node)) this.variables(node.declarationList);
    else if (ts.isReturnStatement(node)) this.leave(node.expression);
    else if (ts.isThrowStatement(node)) this.leave(node.expression);
    else if (ts.isIfStatement(node)) {
      this.expression(node.expression);
      const { thenStatement, elseStatement } = node;
      this.branches([
        () => this.statement(thenStatement),
        () => elseStatement && this.statement(elseStatement),
      ]);
    } else if (ts.isTryStatement(node)) this.tryStatement(node);
    else if (ts.isLabeledStatement(node)) this.labeled(node);
    else if (ts.isBreakStatement(node)) this.jump(node, 'left');
    else if (ts.isContinueStatement(node)) this.jump(node, 'continued');
    else if (ts.isSwitchStatement(node)) this.switchStatement(node);
    else if (ts.isIterationStatement(node, false)) this.loop(node);
    else if (!isDeclaration(ts, node)) {
      ts.forEachChild(node, (child) => ts.isExpression(child) && this.expression(child));
      this.open();
    }
  }

  private variables(list: ts.VariableDeclarationList): void {
    const { ts } = this.context;
    if (list.flags & ts.NodeFlags.Using && !(list.flags & ts.NodeFlags.Const)) this.open();
    for (const { name, initializer } of list.declarations) {
      if (initializer) this.expression(initializer);
      if (!ts.isIdentifier(name)) this.pattern(name);
      else if (initializer) this.variable(name, 'write');
    }
  }

  /** `{ a, b: c }` reads properties; what else a pattern may do is not known. */
  private pattern(pattern: ts.BindingPattern): void {
    const { ts, names } = this.context;
    for (const element of pattern.elements) {
      const key = 'name' in element ? (element.propertyName ?? element.name) : undefined;
      const plain =
        ts.isObjectBindingPattern(pattern) &&
        key !== undefined &&
        ts.isIdentifier(key) &&
        !names.accessors.has(key.text) &&
        'name' in element &&
        ts.isIdentifier(element.name) &&
        !element.dotDotDotToken &&
        !element.initializer;
      if (!plain) return this.open();
      this.each((segment) => segment.read(names.property(key.text)));
      this.variable(element.name as ts.Identifier, 'write');
    }
  }

  private leave(value: ts.Expression | undefined): void {
    if (value) this.expression(value);
    this.each((segment) => segment.ends());
    this.current = [];
  }

  private tryStatement({ tryBlock, catchClause, finallyBlock }: ts.TryStatement): void {
    const thrown = new Set(this.current);
    const ends = new Set<Segment>();
    this.tries.push(thrown);
    this.inScope(tryBlock, () => this.statements(tryBlock));
    this.tries.pop();
    for (const segment of this.current) ends.add(segment);
    const all = new Set(thrown);
    if (catchClause) {
      this.tries.push(all);
      this.goOn([...thrown]);
      this.inScope(catchClause, () =>
        this.inScope(catchClause.block, () => this.statements(catchClause.block)),
      );
      this.tries.pop();
      for (const segment of this.current) ends.add(segment);
    }
    if (finallyBlock === undefined) return this.goOn([...ends]);
    for (const segment of ends) all.add(segment);
    const before = new Set(all);
    this.goOn([...all]);
    this.inScope(finallyBlock, () => this.statements(finallyBlock));
    // Where the block does not wait, only what had come to its end goes on behind it.
    const waited = this.current.some((segment) => !before.has(segment));
    this.each((segment) => segment.ends());
    this.goOn(waited ? this.current : this.current.filter((segment) => ends.has(segment)));
  }

  private labeled(node: ts.LabeledStatement): void {
    const { ts } = this.context;
    const label = node.label.text;
    this.labels.push(label);
    if (ts.isIterationStatement(node.statement, true)) return this.statement(node.statement);
    const target = this.enter(false, false);
    this.statement(node.statement);
    this.exit(target, []);
  }

  private enter(isLoop: boolean, plain: boolean): Target {
    const { labels } = this;
    this.labels = [];
    const target: Target = { labels, isLoop, plain, left: new Set(), continued: new Set() };
    this.targets.push(target);
    return target;
  }

  private exit(target: Target, more: readonly Segment[]): void {
    this.targets.pop();
    this.goOn([...new Set([...this.current, ...more, ...target.left])]);
  }

  private jump(node: ts.BreakOrContinueStatement, how: 'left' | 'continued'): void {
    const label = node.label?.text;
    const target = this.targets.findLast((one) =>
      label !== undefined ? one.labels.includes(label) : how === 'left' ? one.plain : one.isLoop,
    );
    if (target !== undefined) for (const segment of this.current) target[how].add(segment);
    this.current = [];
  }

  private switchStatement(node: ts.SwitchStatement): void {
    this.expression(node.expression);
    const target = this.enter(false, true);
    const entry = this.current;
    this.inScope(node.caseBlock, () => {
      for (const clause of node.caseBlock.clauses) {
        const through = this.current;
        this.current = entry;
        if ('expression' in clause) this.expression(clause.expression);
        this.goOn([...new Set([...through, ...this.current])]);
        this.statements(clause);
      }
    });
    this.exit(target, entry);
  }

  private loop(node: ts.IterationStatement): void {
    const { ts } = this.context;
    const target = this.enter(true, true);
    if (ts.isForStatement(node)) {
      const { initializer } = node;
      if (initializer && ts.isVariableDeclarationList(initializer)) this.variables(initializer);
      else if (initializer) this.expression(initializer);
    }
    const edit = this.context.edits.get(node);
    if (ts.isForOfStatement(node) || ts.isForInStatement(node)) {
      this.expression(node.expression);
      this.iterated(node);
      if (edit?.kind === 'forAwait') this.goOn([this.context.segment(edit.site)]);
      else if (edit !== undefined) this.open();
    }
    const heads = new Set(this.current);
    let exits: readonly Segment[] = this.current;
    for (let before = -1; before !== heads.size;) {
      before = heads.size;
      this.goOn([...heads]);
      exits = this.round(node, target);
      for (const segment of [...this.current, ...target.continued]) heads.add(segment);
    }
    this.current = exits;
    this.exit(target, ts.isDoStatement(node) ? [...heads] : []);
  }

  /** What is gone through may be of any kind, unless its variable or its text says what it is. */
  private iterated({ expression }: ts.ForOfStatement | ts.ForInStatement): void {
    const content = this.contentOf(expression);
    if (content !== undefined) this.each((segment) => segment.read(content));
    else if (!this.context.ts.isArrayLiteralExpression(expression)) this.open();
  }

  /** Once through the loop. Returns the segments in which it may be over. */
  private round(node: ts.IterationStatement, target: Target): readonly Segment[] {
    const { ts } = this.context;
    if (ts.isWhileStatement(node)) this.expression(node.expression);
    if (ts.isForStatement(node) && node.condition) this.expression(node.condition);
    const exits = this.current;
    if ('initializer' in node && node.initializer && !ts.isForStatement(node)) {
      const { initializer } = node as ts.ForOfStatement;
      if (ts.isVariableDeclarationList(initializer)) this.variables(initializer);
      else this.open();
    }
    this.statement(node.statement);
    this.goOn([...new Set([...this.current, ...target.continued])]);
    if (ts.isDoStatement(node)) this.expression(node.expression);
    if (ts.isForStatement(node) && node.incrementor) this.expression(node.incrementor);
    const edit = this.context.edits.get(node);
    if (edit?.kind === 'forAwait') this.goOn([this.context.segment(edit.site)]);
    return ts.isDoStatement(node) ? this.current : exits;
  }
}

/** What has no effect when control comes by. */
function isDeclaration(ts: FileContext['ts'], node: ts.Statement): boolean {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isEmptyStatement(node)
  );
}
