/**
 * A project to compile: modules of about 90 lines each, with classes, async functions, generators
 * and imports of each other, all type-correct.
 */

import fs from 'node:fs';
import path from 'node:path';

/**
 * Writes a project of `modules` source files and one test.
 * @param packages a node_modules with TypeScript, mocha and their types
 */
export function writeProject(root: string, modules: number, packages: string): void {
  const write = (name: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  };
  fs.symlinkSync(packages, path.join(root, 'node_modules'));
  write('package.json', '{ "name": "bench", "private": true, "type": "commonjs" }\n');
  write('detsim.config.json', '{ "tests": ["test/*.test.ts"] }\n');
  write('tsconfig.json', `${JSON.stringify(tsconfig, null, 2)}\n`);
  for (let i = 0; i < modules; i++) write(moduleName(i), moduleText(i));
  write(
    'test/all.test.ts',
    `import { run${modules - 1} } from '../${moduleName(modules - 1).slice(0, -3)}';\n` +
      `it('runs', async () => { await run${modules - 1}('all'); });\n`,
  );
}

export function moduleName(i: number): string {
  return `src/part${Math.floor(i / 20)}/module${i}.ts`;
}

const tsconfig = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2022'],
    module: 'node16',
    moduleResolution: 'node16',
    strict: true,
    esModuleInterop: true,
    skipLibCheck: true,
    sourceMap: true,
    rootDir: '.',
    outDir: 'out',
    types: ['node', 'mocha'],
  },
  include: ['src', 'test'],
};

function moduleText(i: number): string {
  const before = [i - 1, i - 7].filter((one) => one >= 0);
  const imports = before.map((one) => {
    const file = path.posix.relative(path.posix.dirname(moduleName(i)), moduleName(one));
    const specifier = file.startsWith('.') ? file : `./${file}`;
    return `import { type Item${one}, Store${one}, run${one} } from '${specifier.slice(0, -3)}';`;
  });
  const calls = before.map(
    (one) => `
    const fetched${one}: Item${one}[] = await new Store${one}(this.name).all();
    total += fetched${one}.reduce((sum, item) => sum + item.size, 0);
    if (total < 0) await run${one}(this.name).catch((error: Error) => this.report(error));`,
  );
  const methods = [0, 1, 2, 3].map((k) => methodText(i, k)).join('\n');
  return `${imports.join('\n')}
import { setTimeout as sleep } from 'node:timers/promises';

export interface Item${i} {
  readonly id: string;
  readonly size: number;
  readonly tags: readonly string[];
}

export class Store${i} {
  private readonly items = new Map<string, Item${i}>();
  private failures: Error[] = [];

  constructor(readonly name: string) {}

  report(error: Error): void {
    this.failures = [...this.failures, error].slice(-10);
  }

  async all(): Promise<Item${i}[]> {
    await sleep(1);
    return [...this.items.values()];
  }
${methods}
  async total(): Promise<number> {
    let total = this.items.size;${calls.join('')}
    return total;
  }
}

export async function run${i}(name: string): Promise<number> {
  const store = new Store${i}(name);
  for (const id of ['a', 'b', 'c']) await store.change0(id, id.length);
  return store.total();
}
`;
}

function methodText(i: number, k: number): string {
  return `
  async change${k}(id: string, size: number): Promise<Item${i} | undefined> {
    const known = this.items.get(id);
    try {
      await sleep(size % ${k + 2});
      const tags = known === undefined ? [] : [...known.tags, \`changed \${new Date().getTime()}\`];
      const item: Item${i} = { id, size: size + ${k}, tags };
      this.items.set(id, item);
      return item;
    } catch (error) {
      this.report(error instanceof Error ? error : new Error(String(error)));
      return known;
    } finally {
      setTimeout(() => this.items.delete(id), 1000);
    }
  }`;
}
