/**
 * The properties that Raft guarantees at all times (figure 3 of the paper), checked after every
 * event of a simulation.
 *
 * A look after each event finds the nodes that have changed, and the properties are checked for
 * what is new in these only. By induction over the events that is as good as checking everything.
 */

import type { Sim } from 'detsim';
import type { Cluster } from './cluster.js';
import type { Entry, Snapshot } from './messages.js';
import type { RaftNode } from './node.js';
import { FOUNDING } from './state.js';

/** A node as it was after an earlier event. */
interface View {
  node: RaftNode | undefined;
  role: string;
  term: number;
  /** The log's count of changes. */
  changes: number;
  baseIndex: number;
  lastIndex: number;
  lastApplied: number;
  /** Its entries by index, including those that have been compacted away. */
  entries: Entry[];
}

interface Change {
  readonly before: View;
  readonly node: RaftNode;
}

/** An entry that was committed, and the lowest term in which a node knew of it. */
interface Committed {
  readonly entry: Entry;
  readonly term: number;
}

export class RaftInvariants {
  private readonly views = new Map<string, View>();
  private changed: Change[] = [];
  private readonly leaders = new Map<number, string>();
  /** By index: every entry that any log has ever had, each with the term of the one before it. */
  private readonly entries: { entry: Entry; prevTerm: number }[][] = [];
  private readonly committed: Committed[] = [];
  private readonly initialMembers: readonly string[];

  constructor(
    sim: Sim,
    private readonly cluster: Cluster,
  ) {
    this.initialMembers = [...cluster.ids];
    sim.invariant('election safety', () => {
      this.look();
      this.electionSafety();
    });
    sim.invariant('leader append-only', () => this.leaderAppendOnly());
    sim.invariant('log matching', () => this.logMatching());
    sim.invariant('state machine safety', () => this.stateMachineSafety());
    sim.invariant('latest members', () => this.latestMembers());
    sim.invariant('leader completeness', () => {
      this.leaderCompleteness();
      this.remember();
    });
  }

  /** How many entries are committed. */
  get commits(): number {
    return Math.max(0, this.committed.length - 1 - FOUNDING);
  }

  /** Finds the nodes that the event has changed, before the first check. */
  private look(): void {
    for (const node of this.cluster.nodes) {
      const before = this.views.get(node.id) ?? this.newView(node.id);
      if (
        before.node !== node ||
        before.term !== node.term ||
        before.role !== node.role ||
        before.changes !== node.log.changes ||
        before.lastApplied !== node.lastApplied
      ) {
        this.changed.push({ before, node });
      }
    }
  }

  /** Takes the nodes as they are now for the next event, after the last check. */
  private remember(): void {
    if (this.changed.length === 0) return;
    for (const { before, node } of this.changed) remember(before, node);
    this.changed = [];
  }

  private newView(id: string): View {
    const view: View = {
      node: undefined,
      role: 'follower',
      term: 0,
      changes: 0,
      baseIndex: 0,
      lastIndex: 0,
      lastApplied: 0,
      entries: [],
    };
    this.views.set(id, view);
    return view;
  }

  /** At most one leader is elected in a term. */
  private electionSafety(): void {
    for (const { before, node } of this.changed) {
      if (node.role !== 'leader' || ledBefore(before, node)) continue;
      const other = this.leaders.get(node.term);
      if (other !== undefined && other !== node.id) {
        throw new Error(`${other} and ${node.id} are both leaders of term ${node.term}`);
      }
      this.leaders.set(node.term, node.id);
    }
  }

  /** A leader neither overwrites nor deletes entries of its log. */
  private leaderAppendOnly(): void {
    for (const { before, node } of this.changed) {
      const { lastIndex } = before;
      if (!ledBefore(before, node) || lastIndex <= node.log.baseIndex) continue;
      if (node.log.at(lastIndex) !== before.entries[lastIndex]) {
        throw new Error(`leader ${node.id} has replaced entry ${lastIndex} of its log`);
      }
    }
  }

  /** Logs that agree on the term of an entry agree on it and on all entries before it. */
  private logMatching(): void {
    for (const { before, node } of this.changed) {
      const { log } = node;
      for (let index = log.lastIndex; index > log.baseIndex; index--) {
        const entry = log.at(index)!;
        if (before.node === node && entry === before.entries[index]) break;
        this.matches(node, entry, log.termAt(index - 1)!);
      }
    }
  }

  private matches(node: RaftNode, entry: Entry, prevTerm: number): void {
    const all = (this.entries[entry.index] ??= []);
    const known = all.find((one) => one.entry.term === entry.term);
    if (known === undefined) {
      all.push({ entry, prevTerm });
    } else if (known.prevTerm !== prevTerm || !same(known.entry, entry)) {
      throw new Error(
        `${node.id} has ${text(entry)} after an entry of term ${prevTerm}; ` +
          `elsewhere it is ${text(known.entry)} after one of term ${known.prevTerm}`,
      );
    }
  }

  /** No two nodes apply different entries at an index; a snapshot is what its entries lead to. */
  private stateMachineSafety(): void {
    for (const { before, node } of this.changed) {
      const restarted = before.node !== node;
      const from = restarted ? 0 : before.lastApplied;
      if (node.lastApplied < from) {
        throw new Error(`${node.id} had applied up to ${from}, and is at ${node.lastApplied} now`);
      }
      const compacted = new Map(node.log.compacted.map((entry) => [entry.index, entry]));
      for (let index = from + 1; index <= node.lastApplied; index++) {
        const entry = node.log.at(index) ?? compacted.get(index);
        // What came with a snapshot is known by what it led to.
        if (entry !== undefined) this.commit(node, entry);
      }
      if (restarted || node.log.baseIndex !== before.baseIndex) this.checkSnapshot(node);
    }
  }

  private commit(node: RaftNode, entry: Entry): void {
    const { index } = entry;
    const known = this.committed[index];
    if (known === undefined) {
      this.committed[index] = { entry, term: node.term };
    } else if (!same(known.entry, entry)) {
      throw new Error(
        `${node.id} applies ${text(entry)}, where another node has applied ${text(known.entry)}`,
      );
    }
  }

  private checkSnapshot(node: RaftNode): void {
    const { snapshot, machine, lastApplied } = node;
    this.checkPairs(node, 'snapshot', snapshot.lastIndex, snapshot.pairs);
    this.checkPairs(node, 'state', lastApplied, machine.save());
    let members = this.initialMembers;
    for (let index = 1; index <= snapshot.lastIndex; index++) {
      members = this.committed[index]?.entry.members ?? members;
    }
    if (snapshot.lastIndex > 0 && !sameList(members, snapshot.members)) {
      throw new Error(
        `the snapshot of ${node.id} at ${snapshot.lastIndex} has the members ` +
          `${snapshot.members.join(', ')}, which were ${members.join(', ')}`,
      );
    }
  }

  private checkPairs(
    node: RaftNode,
    what: string,
    lastIndex: number,
    pairs: Snapshot['pairs'],
  ): void {
    const expected = new Map<string, string>();
    for (let index = 1; index <= lastIndex; index++) {
      const command = this.committed[index]?.entry.command;
      if (command) expected.set(command.key, command.value);
    }
    const wrong =
      pairs.find(([key, value]) => expected.get(key) !== value)?.[0] ??
      [...expected.keys()].find((key) => !pairs.some(([other]) => other === key));
    if (wrong === undefined) return;
    const found = pairs.find(([key]) => key === wrong)?.[1];
    throw new Error(
      `the ${what} of ${node.id} at ${lastIndex} has ${wrong} = ${found}, ` +
        `and the committed entries make it ${expected.get(wrong)}`,
    );
  }

  /** A node goes by the latest members in its log, whether they are committed or not. */
  private latestMembers(): void {
    for (const { node } of this.changed) {
      const { log, snapshot } = node;
      let index = log.lastIndex;
      while (index > log.baseIndex && log.at(index)!.members === null) index--;
      const members = log.at(index)?.members ?? snapshot.members;
      if (sameList(members, node.members)) continue;
      throw new Error(
        `${node.id} goes by the members ${node.members.join(', ')}; ` +
          `the latest in its log are ${members.join(', ')}`,
      );
    }
  }

  /** What is committed in a term is in the log of every leader of a higher term. */
  private leaderCompleteness(): void {
    for (const { before, node } of this.changed) {
      if (node.role !== 'leader' || ledBefore(before, node)) continue;
      let last = this.committed.length - 1;
      while (last > 0 && !(this.committed[last]?.term < node.term)) last--;
      if (last <= node.log.baseIndex) continue;
      const { entry } = this.committed[last];
      if (node.log.termAt(last) === entry.term) continue;
      throw new Error(
        `${node.id}, leader of term ${node.term}, lacks ${text(entry)}, ` +
          `which was committed in term ${this.committed[last].term}`,
      );
    }
  }
}

function ledBefore(before: View, node: RaftNode): boolean {
  return (
    before.node === node &&
    before.role === 'leader' &&
    node.role === 'leader' &&
    before.term === node.term
  );
}

function remember(view: View, node: RaftNode): void {
  const { log } = node;
  const restarted = view.node !== node;
  if (restarted || view.changes !== log.changes) {
    view.entries.length = log.lastIndex + 1;
    for (let index = log.lastIndex; index > log.baseIndex; index--) {
      const entry = log.at(index)!;
      if (entry === view.entries[index]) break;
      view.entries[index] = entry;
    }
  }
  view.node = node;
  view.role = node.role;
  view.term = node.term;
  view.changes = log.changes;
  view.baseIndex = log.baseIndex;
  view.lastIndex = log.lastIndex;
  view.lastApplied = node.lastApplied;
}

function same(a: Entry, b: Entry): boolean {
  return (
    a === b ||
    (a.term === b.term &&
      a.command?.key === b.command?.key &&
      a.command?.value === b.command?.value &&
      sameList(a.members ?? [], b.members ?? []))
  );
}

function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((item, i) => item === b[i]));
}

function text({ index, term, command, members }: Entry): string {
  const what =
    command !== null ? `${command.key}=${command.value}` : (members?.join(', ') ?? 'no-op');
  return `entry ${index} of term ${term} (${what})`;
}
