/**
 * The overlay: compiled files of a project, kept by content.
 *
 * A compiled file's name holds a hash of everything it was made from, so an entry is either right
 * or absent: nothing is ever invalidated, several processes may write at once, and a change back
 * finds the old entry. Code, imports and format are one file, written in one rename; TypeScript is
 * loaded only when something has to be compiled.
 */

import path from 'node:path';
import type {
  CompiledFile,
  DynamicImport,
  ModuleFormat,
  OverlaySource,
  RequestKind,
  Resolution,
} from '../../runtime/loader/types.js';
import type { CompiledText, CompileFile } from './compile-text.js';
import { entryName } from './entry-name.js';
import {
  contentHash,
  existsSync,
  hashOf,
  modifiedMs,
  readdirSync,
  readText,
  readTextIfAny,
  relativePosix,
  remove,
  writeAtomically,
} from './disk.js';
import type { FormatRule } from './format.js';
import { compilerIdentity } from './identity.js';
import type { Project } from './project.js';
import { Resolver } from './resolve.js';

/** What is kept beside the code of a file, as its last line. */
interface Meta {
  readonly format: ModuleFormat;
  readonly imports: readonly string[];
  readonly topLevelAwait: boolean;
  readonly dynamicImport: DynamicImport;
  readonly requests: readonly string[];
  readonly inlinedFrom: Readonly<Record<string, string>>;
}

/** A compiled file, with every specifier that its code names, static or not. */
export interface OverlayFile extends CompiledFile {
  readonly requests: readonly string[];
}

const metaPrefix = '\n//# detsim=';

export interface OverlayOptions {
  /** The test files, absolute: what their functions return counts as a stand-in's. */
  readonly tests?: readonly string[];
  /** The compiler; ours unless a test brings its own. */
  readonly compileFile?: CompileFile;
  /** Called before the first file that has to be compiled. */
  readonly beforeFirstCompile?: () => void;
}

export class Overlay implements OverlaySource {
  readonly root: string;
  /** How many files this instance has compiled, rather than found. */
  compiledCount = 0;
  private readonly files = new Map<string, OverlayFile>();
  private readonly tests: ReadonlySet<string>;
  private readonly resolver: Resolver;

  constructor(
    readonly project: Project,
    private readonly options: OverlayOptions = {},
  ) {
    this.root = project.root;
    this.tests = new Set(options.tests ?? []);
    this.resolver = new Resolver(project);
    this.prepareFolder();
  }

  has(file: string): boolean {
    return this.project.isInstrumented(file);
  }

  resolve(specifier: string, importer: string, kind: RequestKind): Resolution {
    return this.resolver.resolve(specifier, importer, kind);
  }

  /** The file as it was when this instance first saw it. */
  get(file: string): OverlayFile {
    let compiled = this.files.get(file);
    if (compiled === undefined) {
      compiled = this.load(file);
      this.files.set(file, compiled);
    }
    return compiled;
  }

  private load(file: string): OverlayFile {
    const text = readText(file);
    const sitePath = relativePosix(this.root, file);
    const stub = this.tests.has(file) || this.project.isStub(file);
    const rule = this.project.formatRuleOf(file);
    const optionsId = this.project.tsconfigOf(file)?.optionsId ?? '';
    const key = hashOf(compilerIdentity(), file, sitePath, text, optionsId, rule, String(stub));
    const codeFile = path.join(
      this.project.overlayFolder,
      'files',
      `${entryName(sitePath)}.${key}.js`,
    );
    const kept = readEntry(codeFile);
    const { code, meta } = kept ?? this.compile({ file, text, sitePath, stub, rule, codeFile });
    return { file, path: sitePath, codeFile, code, ...meta };
  }

  private compile(input: {
    file: string;
    text: string;
    sitePath: string;
    stub: boolean;
    rule: FormatRule;
    codeFile: string;
  }): { code: string; meta: Meta } {
    if (this.compiledCount === 0) this.options.beforeFirstCompile?.();
    const { compileText } = require('./compile-text.js') as typeof import('./compile-text.js');
    const compiled = compileText({ ...input, project: this.project }, this.options.compileFile);
    this.compiledCount++;
    return this.writeEntry(input.codeFile, compiled);
  }

  /** The map first: an entry whose code is there is complete. */
  private writeEntry(codeFile: string, compiled: CompiledText): { code: string; meta: Meta } {
    const { map, code: text, ...meta } = compiled;
    const mapFile = `${codeFile}.map`;
    const code =
      `${text}\n//# sourceMappingURL=${encodeURIComponent(path.basename(mapFile))}` +
      metaPrefix +
      JSON.stringify(meta);
    writeAtomically(mapFile, map);
    writeAtomically(codeFile, code);
    forgetOldVersions(codeFile);
    return { code, meta };
  }

  /** The overlay is CommonJS whatever the project is, and is kept out of version control. */
  private prepareFolder(): void {
    const folder = this.project.overlayFolder;
    const files = { 'package.json': '{"type":"commonjs"}\n', '.gitignore': '*\n' };
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(folder, name);
      if (!existsSync(file)) writeAtomically(file, text);
    }
  }
}

/** How many versions of one file are kept, so that a change back costs nothing. */
const versionsKept = 8;

/** Removes the oldest versions of a compiled file. */
function forgetOldVersions(codeFile: string): void {
  const folder = path.dirname(codeFile);
  const stem = path.basename(codeFile).replace(/[^.]+\.js$/, '');
  const versions = readdirSync(folder)
    .filter((name) => name.startsWith(stem) && /^[^.]+\.js$/.test(name.slice(stem.length)))
    .map((name) => path.join(folder, name));
  if (versions.length <= versionsKept) return;
  versions.sort((a, b) => modifiedMs(b) - modifiedMs(a));
  for (const old of versions.slice(versionsKept)) {
    remove(old);
    remove(`${old}.map`);
  }
}

function readEntry(codeFile: string): { code: string; meta: Meta } | undefined {
  const code = readTextIfAny(codeFile);
  const at = code?.lastIndexOf(metaPrefix) ?? -1;
  if (code === undefined || at < 0) return undefined;
  const meta = JSON.parse(code.slice(at + metaPrefix.length)) as Meta;
  const current = Object.entries(meta.inlinedFrom).every(
    ([file, hash]) => contentHash(file) === hash,
  );
  return current ? { code, meta } : undefined;
}
