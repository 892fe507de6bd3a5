/**
 * Where the rows of a FROM clause come from. A source puts each of its rows into the frame and
 * calls back; sources stand in a line, and each sees what those before it have put there.
 * Conditions are tested by the first source that has all they need; equalities become look-ups.
 */

import type { Index, Slot, Table, Tuple } from '../engine/table.js';
import { TEXT, VARCHAR } from '../types/types.js';
import type { Conjunct } from './conjuncts.js';
import type { Expr, Frame, Run } from './expr.js';

export interface Source {
  readonly entries: readonly number[];
  /** Rows for which it is not true are left out. */
  accept(condition: Conjunct): void;
  scan(frame: Frame, emit: () => void): void;
}

/** What an outer join puts where there is no row. */
export const NO_ROW: Slot = { v: [] };

const intersects = (set: ReadonlySet<number>, entries: readonly number[]) =>
  entries.some((entry) => set.has(entry));

/** An equality between this entry and something that does not depend on it. */
interface LookUp {
  readonly own: Expr;
  readonly other: Expr;
}

abstract class Leaf implements Source {
  readonly entries: readonly number[];
  protected readonly conditions: Expr[] = [];
  protected readonly lookUps: LookUp[] = [];
  protected readonly lists: NonNullable<Expr['list']>[] = [];

  constructor(protected readonly entry: number) {
    this.entries = [entry];
  }

  accept({ expr, dependencies, sides }: Conjunct): void {
    this.conditions.push(expr);
    if (sides !== undefined && expr.operands?.length === 2) {
      for (const [own, other] of [
        [0, 1],
        [1, 0],
      ] as const) {
        if (sides[own].size !== 1 || !sides[own].has(this.entry) || sides[other].has(this.entry))
          continue;
        this.lookUps.push({ own: expr.operands[own]!, other: expr.operands[other]! });
      }
    }
    if (expr.list !== undefined && dependencies.size === 1 && dependencies.has(this.entry))
      this.lists.push(expr.list);
  }

  /** The rows that can be right ones, by whatever is the quickest way to them. */
  protected abstract candidates(frame: Frame): Iterable<Slot>;

  scan(frame: Frame, emit: () => void): void {
    const { conditions, entry } = this;
    for (const slot of this.candidates(frame)) {
      frame.slots[entry] = slot;
      let holds = true;
      for (let i = 0; i < conditions.length && holds; i += 1)
        holds = conditions[i]!.ev(frame) === true;
      if (holds) emit();
    }
  }

  /** All rows by the value of one side of an equality: a hash join. */
  protected hashed(
    frame: Frame,
    key: object,
    all: () => Iterable<Slot>,
  ): Iterable<Slot> | undefined {
    const lookUp = this.lookUps.find(({ own }) => own.column !== undefined);
    if (lookUp === undefined) return undefined;
    const { own, other } = lookUp;
    const value = other.ev(frame);
    if (value === null) return [];
    const table = frame.run.once(key, () => {
      const map = new Map<string, Slot[]>();
      for (const slot of all()) {
        frame.slots[this.entry] = slot;
        const ownValue = own.ev(frame);
        if (ownValue === null) continue;
        const text = own.type.key(ownValue);
        const bucket = map.get(text);
        if (bucket === undefined) map.set(text, [slot]);
        else bucket.push(slot);
      }
      return map;
    });
    return table.get(own.type.key(value)) ?? [];
  }
}

/** Rows of a query, a function or a table of the system. */
export class RowsSource extends Leaf {
  private readonly slotsKey = {};
  private readonly hashKey = {};

  /** @param once set when the rows are the same in one run whatever the frame */
  constructor(
    entry: number,
    private readonly rows: (frame: Frame) => any[][],
    private readonly once: object | undefined,
  ) {
    super(entry);
  }

  protected candidates(frame: Frame): Iterable<Slot> {
    const make = () => this.rows(frame).map((v): Slot => ({ v }));
    const plan = this.once as { correlated?: boolean } | undefined;
    if (plan === undefined || plan.correlated) return make();
    const all = frame.run.once(this.slotsKey, make);
    return this.hashed(frame, this.hashKey, () => all) ?? all;
  }
}

/** The versions of a table's rows that the snapshot sees. */
export class TableSource extends Leaf {
  private readonly visibleKey = {};
  private readonly hashKey = {};

  constructor(
    entry: number,
    readonly table: Table,
  ) {
    super(entry);
  }

  protected candidates(frame: Frame): Iterable<Slot> {
    return (
      this.indexed(frame) ??
      this.hashed(frame, this.hashKey, () => this.all(frame.run)) ??
      this.all(frame.run)
    );
  }

  private all(run: Run): Tuple[] {
    return run.once(this.visibleKey, () => {
      const { serializable } = run.transaction;
      if (serializable !== undefined) run.db.serializability.read(serializable, this.table);
      return visible(this.table.tuples, run);
    });
  }

  private indexed(frame: Frame): Tuple[] | undefined {
    for (const index of this.table.indexes) {
      if (index.predicate !== undefined) continue;
      const values = this.keyValues(index, frame);
      if (values === undefined) continue;
      return values.flatMap((key) => lookUp(index, key, frame.run));
    }
    return undefined;
  }

  /** The keys to look up in an index, when there are equalities for all of its columns. */
  private keyValues(index: Index, frame: Frame): (string | undefined)[] | undefined {
    const parts: any[] = [];
    for (const key of index.keys) {
      const at = key.column === undefined ? -1 : this.table.column(key.column);
      const isOwn = (expr: Expr) =>
        expr.column?.entry === this.entry &&
        expr.column.column === at &&
        (expr.type === key.type || (expr.type === TEXT && key.type === VARCHAR));
      const found = this.lookUps.find(({ own }) => isOwn(own));
      if (found !== undefined) {
        parts.push(found.other.ev(frame));
        continue;
      }
      const list = index.keys.length === 1 ? this.lists.find(({ left }) => isOwn(left)) : undefined;
      if (list === undefined) return undefined;
      return [...new Set(list.items(frame).map((item) => index.encode([item])))];
    }
    return [index.encode(parts)];
  }
}

/** The visible rows under a key of an index. */
export function lookUp(index: Index, key: string | undefined, run: Run): Tuple[] {
  if (key === undefined) return [];
  const { serializable } = run.transaction;
  if (serializable !== undefined) run.db.serializability.read(serializable, index.target(key));
  return visible(index.entries.get(key) ?? [], run);
}

function visible(tuples: readonly Tuple[], run: Run): Tuple[] {
  const { snapshot, transaction, db } = run;
  const { serializable } = transaction;
  if (serializable === undefined) return tuples.filter((tuple) => tuple.isVisible(snapshot));
  return tuples.filter((tuple) => {
    const { xmin, xmax } = tuple;
    const seen = tuple.isVisible(snapshot);
    // Whoever wrote what is not seen yet, or ended what is still seen, comes after this one.
    const writer = seen ? xmax : xmin;
    if (writer !== undefined && writer.transaction !== transaction && !writer.isAborted) {
      const later = seen || !snapshot.sees(xmin, tuple.cmin);
      if (later) db.serializability.readOver(serializable, writer.transaction);
    }
    return seen;
  });
}

/** Sources one inside the other: an inner join. */
export class ListSource implements Source {
  readonly entries: readonly number[];

  constructor(private readonly sources: readonly Source[]) {
    this.entries = sources.flatMap((source) => source.entries);
  }

  on(condition: Conjunct): void {
    this.accept(condition);
  }

  accept(condition: Conjunct): void {
    const last = this.sources.findLastIndex((source) =>
      intersects(condition.dependencies, source.entries),
    );
    this.sources[Math.max(0, last)]?.accept(condition);
  }

  get isEmpty(): boolean {
    return this.sources.length === 0;
  }

  scan(frame: Frame, emit: () => void): void {
    const { sources } = this;
    const from = (i: number): void => {
      if (i === sources.length) emit();
      else sources[i]!.scan(frame, () => from(i + 1));
    };
    from(0);
  }
}

abstract class OuterJoin implements Source {
  readonly entries: readonly number[];
  protected readonly after: Expr[] = [];

  constructor(
    protected readonly left: Source,
    protected readonly right: Source,
  ) {
    this.entries = [...left.entries, ...right.entries];
  }

  abstract on(condition: Conjunct): void;
  abstract scan(frame: Frame, emit: () => void): void;

  accept(condition: Conjunct): void {
    this.after.push(condition.expr);
  }

  protected passes(frame: Frame): boolean {
    return this.after.every((condition) => condition.ev(frame) === true);
  }
}

export class LeftJoin extends OuterJoin {
  on(condition: Conjunct): void {
    this.right.accept(condition);
  }

  override accept(condition: Conjunct): void {
    if (intersects(condition.dependencies, this.right.entries)) super.accept(condition);
    else this.left.accept(condition);
  }

  scan(frame: Frame, emit: () => void): void {
    this.left.scan(frame, () => {
      let matched = false;
      this.right.scan(frame, () => {
        matched = true;
        if (this.passes(frame)) emit();
      });
      if (matched) return;
      for (const entry of this.right.entries) frame.slots[entry] = NO_ROW;
      if (this.passes(frame)) emit();
    });
  }
}

export class FullJoin extends OuterJoin {
  private readonly conditions: Expr[] = [];

  on(condition: Conjunct): void {
    this.conditions.push(condition.expr);
  }

  scan(frame: Frame, emit: () => void): void {
    const rights: { slots: Slot[]; matched: boolean }[] = [];
    const { entries } = this.right;
    this.right.scan(frame, () =>
      rights.push({ slots: entries.map((entry) => frame.slots[entry]!), matched: false }),
    );
    const put = (slots: readonly Slot[]) =>
      entries.forEach((entry, i) => (frame.slots[entry] = slots[i]!));
    this.left.scan(frame, () => {
      let matched = false;
      for (const right of rights) {
        put(right.slots);
        if (!this.conditions.every((condition) => condition.ev(frame) === true)) continue;
        matched = true;
        right.matched = true;
        if (this.passes(frame)) emit();
      }
      if (matched) return;
      put(entries.map(() => NO_ROW));
      if (this.passes(frame)) emit();
    });
    for (const { slots, matched } of rights) {
      if (matched) continue;
      for (const entry of this.left.entries) frame.slots[entry] = NO_ROW;
      put(slots);
      if (this.passes(frame)) emit();
    }
  }
}
