/**
 * The order in which ES modules are evaluated.
 *
 * This is the algorithm of ECMA-262 ("Cyclic Module Records": Evaluate, InnerModuleEvaluation,
 * AsyncModuleExecutionFulfilled and its kin), with its names: imports first and in order, cycles as
 * one component, and modules with top-level await run side by side while only those that import
 * them wait. There are two additions.
 *
 * A module without imports may turn out to be asynchronous when it is run (an ES module of a
 * package with top-level await).
 *
 * Where nothing awaits, a body starts before its imports, and evaluates them by its own first
 * lines, which are its imports. The order is the same, and in a cycle the functions that a module
 * exports are there before its body is, as the specification has it.
 */

/** A module of the graph. What it does is given by `run`; the other fields are the algorithm's. */
export interface EsRecord {
  readonly hasTopLevelAwait: boolean;
  /**
   * Whether nothing awaits at the top level, here or in what it imports; settled by the linking.
   */
  synchronous: boolean;
  /** The modules it imports, in order; filled in before the evaluation starts. */
  dependencies: EsRecord[];
  /** Runs the body. A promise means that the module is asynchronous. */
  readonly run: () => Promise<unknown> | undefined;
  state: EvaluationState;
}

/** The state of an evaluation. */
export interface EvaluationState {
  status: 'linked' | 'evaluating' | 'evaluating-async' | 'evaluated';
  /** The position among asynchronous modules, while the module is one that has not finished. */
  asyncOrder: number | undefined;
  error: { readonly reason: unknown } | undefined;
  dfsIndex: number;
  dfsAncestorIndex: number;
  pendingAsyncDependencies: number;
  readonly asyncParents: EsRecord[];
  cycleRoot: EsRecord | undefined;
  finished: PromiseWithResolvers | undefined;
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export function newState(): EvaluationState {
  return {
    status: 'linked',
    asyncOrder: undefined,
    error: undefined,
    dfsIndex: 0,
    dfsAncestorIndex: 0,
    pendingAsyncDependencies: 0,
    asyncParents: [],
    cycleRoot: undefined,
    finished: undefined,
  };
}

/**
 * Evaluates a linked module and what it imports, as far as possible at once.
 * @returns a promise when something asynchronous is left to wait for, else undefined
 * @throws what the module, or one that it imports, has thrown
 */
export function evaluate(entry: EsRecord): Promise<void> | undefined {
  const { status } = entry.state;
  const root =
    status === 'evaluating-async' || status === 'evaluated'
      ? (entry.state.cycleRoot ?? entry)
      : entry;
  const { state } = root;
  const stack: EsRecord[] = [];
  try {
    innerEvaluation(root, stack, 0);
  } catch (reason) {
    if (!(reason instanceof AwaitsAfterAll)) stack.forEach((record) => fail(record, reason));
    throw reason;
  }
  if (state.asyncOrder === undefined) return undefined;
  state.finished ??= withResolvers();
  return state.finished.promise;
}

/**
 * Thrown out of a body that runs ahead of its imports when one of them turns out to be
 * asynchronous. Only imports have run by then, so everything that is not evaluated can be linked
 * and started again.
 */
export class AwaitsAfterAll extends Error {}

/**
 * Settles which modules are synchronous, once everything reachable from `root` is linked.
 */
export function settleSynchronous(root: EsRecord): void {
  const reached = reachable(root);
  const waits = reached.some((record) => record.hasTopLevelAwait);
  for (const record of reached) {
    if (record.state.status !== 'linked') continue;
    record.synchronous = !waits || !reachable(record).some((one) => one.hasTopLevelAwait);
  }
}

/** A module and everything it imports that has not been evaluated, each once. */
export function reachable(root: EsRecord): EsRecord[] {
  const found = new Set([root]);
  for (const record of found) {
    for (const dependency of record.dependencies) {
      if (dependency.state.status !== 'evaluated') found.add(dependency);
    }
  }
  return [...found];
}

let asyncOrders = 0;

function fail({ state }: EsRecord, reason: unknown): void {
  state.status = 'evaluated';
  state.error = { reason };
}

function innerEvaluation(record: EsRecord, stack: EsRecord[], index: number): number {
  const { state } = record;
  if (state.status === 'evaluating-async' || state.status === 'evaluated') {
    if (state.error !== undefined) throw state.error.reason;
    return index;
  }
  if (state.status === 'evaluating') return index;
  if (record.synchronous) {
    evaluateNested(record);
    return index;
  }
  state.status = 'evaluating';
  state.dfsIndex = state.dfsAncestorIndex = index++;
  stack.push(record);
  for (const dependency of record.dependencies) {
    index = innerEvaluation(dependency, stack, index);
    awaitDependency(record, dependency);
  }
  if (state.pendingAsyncDependencies > 0) state.asyncOrder = asyncOrders++;
  else execute(record);
  if (state.dfsAncestorIndex === state.dfsIndex) closeComponent(record, stack);
  return index;
}

/** The body evaluates its imports itself. */
function evaluateNested(record: EsRecord): void {
  const { state } = record;
  state.status = 'evaluating';
  try {
    void record.run();
    state.status = 'evaluated';
  } catch (reason) {
    if (!(reason instanceof AwaitsAfterAll)) fail(record, reason);
    throw reason;
  }
}

function awaitDependency(record: EsRecord, dependency: EsRecord): void {
  let required = dependency;
  if (required.state.status === 'evaluating') {
    record.state.dfsAncestorIndex = Math.min(
      record.state.dfsAncestorIndex,
      required.state.dfsAncestorIndex,
    );
  } else {
    required = required.state.cycleRoot ?? required;
    if (required.state.error !== undefined) throw required.state.error.reason;
  }
  if (required.state.asyncOrder !== undefined) {
    record.state.pendingAsyncDependencies++;
    required.state.asyncParents.push(record);
  }
}

/** The records from `root` to the top of the stack form one strongly connected component. */
function closeComponent(root: EsRecord, stack: EsRecord[]): void {
  for (let record = stack.pop(); record !== undefined; record = stack.pop()) {
    const { state } = record;
    state.status = state.asyncOrder === undefined ? 'evaluated' : 'evaluating-async';
    state.cycleRoot = root;
    if (record === root) return;
  }
}

/** Runs the body of a module whose dependencies are done. */
function execute(record: EsRecord): void {
  if (record.hasTopLevelAwait) record.state.asyncOrder ??= asyncOrders++;
  const running = record.run();
  if (running === undefined) return;
  record.state.asyncOrder ??= asyncOrders++;
  running.then(
    () => fulfilled(record),
    (reason: unknown) => rejected(record, reason),
  );
}

function fulfilled(record: EsRecord): void {
  if (record.state.status === 'evaluated') return;
  finish(record);
  const ready: EsRecord[] = [];
  gatherAvailableAncestors(record, ready);
  ready.sort((a, b) => a.state.asyncOrder! - b.state.asyncOrder!);
  for (const ancestor of ready) {
    if (ancestor.state.status === 'evaluated') continue;
    try {
      execute(ancestor);
    } catch (reason) {
      rejected(ancestor, reason);
      continue;
    }
    if (!ancestor.hasTopLevelAwait) finish(ancestor);
  }
}

function finish(record: EsRecord): void {
  record.state.asyncOrder = undefined;
  record.state.status = 'evaluated';
  record.state.finished?.resolve();
}

function gatherAvailableAncestors(record: EsRecord, ready: EsRecord[]): void {
  for (const parent of record.state.asyncParents) {
    if (ready.includes(parent) || parent.state.cycleRoot?.state.error !== undefined) continue;
    parent.state.pendingAsyncDependencies--;
    if (parent.state.pendingAsyncDependencies > 0) continue;
    ready.push(parent);
    if (!parent.hasTopLevelAwait) gatherAvailableAncestors(parent, ready);
  }
}

function rejected(record: EsRecord, reason: unknown): void {
  if (record.state.status === 'evaluated') return;
  fail(record, reason);
  record.state.asyncOrder = undefined;
  for (const parent of record.state.asyncParents) rejected(parent, reason);
  record.state.finished?.reject(reason);
}

function withResolvers(): PromiseWithResolvers {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { promise, resolve, reject };
}
