/**
 * The tests that a file has declared: a tree of suites with hooks, as the API of each runner builds
 * it.
 */

/** `todo` has no body to run. */
export type Mode = 'run' | 'only' | 'skip' | 'todo';

export type HookName = 'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll';

export interface Hook {
  readonly fn: (context?: unknown) => unknown;
  /** In ms; 0 is none. */
  readonly timeout: number;
}

export interface TestCase {
  readonly title: string;
  readonly parent: Suite;
  mode: Mode;
  /** @param context what the API of the runner hands to a test */
  readonly fn: (context: unknown) => unknown;
  /** In ms; 0 is none. */
  readonly timeout: number;
  /** How often it is tried again. */
  readonly retries: number;
  /** It must fail. */
  readonly fails: boolean;
}

export class Suite {
  readonly children: (Suite | TestCase)[] = [];
  readonly hooks: Record<HookName, Hook[]> = {
    beforeAll: [],
    beforeEach: [],
    afterEach: [],
    afterAll: [],
  };

  constructor(
    readonly title: string,
    readonly parent: Suite | undefined,
    readonly mode: Mode,
  ) {}

  /** The titles from the outermost suite on, without the file's own. */
  get path(): string[] {
    return this.parent === undefined ? [] : [...this.parent.path, this.title];
  }

  /** The suites around it and itself, the outermost first. */
  get line(): Suite[] {
    return this.parent === undefined ? [this] : [...this.parent.line, this];
  }
}

/** The titles joined by spaces, which is what every runner's own pattern is looked for in. */
export function fullTitle(titles: readonly string[]): string {
  return titles.filter((title) => title !== '').join(' ');
}

export function titlesOf(test: TestCase): string[] {
  return [...test.parent.path, test.title];
}

/** Whether something in the tree is marked `only`. */
export function hasOnly(suite: Suite): boolean {
  return suite.children.some(
    (child) => child.mode === 'only' || (child instanceof Suite && hasOnly(child)),
  );
}

/** The tests of a tree, in order. */
export function testsIn(suite: Suite): TestCase[] {
  return suite.children.flatMap((child) => (child instanceof Suite ? testsIn(child) : [child]));
}

/**
 * The mode of a test, once everything is declared: what is around it counts as well. Where
 * something is marked `only`, the innermost mark decides.
 * @param only whether anything in the file is marked so
 */
export function modeOf(test: TestCase, only: boolean): 'run' | 'skip' | 'todo' {
  const around = test.parent.line.map(({ mode }) => mode);
  if (test.mode === 'todo' || around.includes('todo')) return 'todo';
  if (test.mode === 'skip' || around.includes('skip')) return 'skip';
  if (!only || test.mode === 'only') return 'run';
  const inOnly = test.parent.line.some((suite) => suite.mode === 'only' && !hasOnly(suite));
  return inOnly ? 'run' : 'skip';
}
