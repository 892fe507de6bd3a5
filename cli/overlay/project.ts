/**
 * A project: its root, its tsconfig files, and which of its files are instrumented and how.
 *
 * What the tsconfig files say is kept in the overlay with the hashes of every file that it was read
 * from. As long as those are the same, TypeScript is not loaded.
 */

import path from 'node:path';
import picomatch from 'picomatch';
import { isTestFile } from '../../transformer/stubs.js';
import type { Config } from '../config.js';
import { UserError } from '../errors.js';
import {
  contentHash,
  existsSync,
  hashOf,
  isFile,
  isInside,
  readJsonIfAny,
  realPath,
  relativePosix,
  writeAtomically,
} from './disk.js';
import { formatRule, isSourceFile, type FormatRule } from './format.js';
import { packageNameOf, PackageScopes } from './package-json.js';
import type { ParsedTsconfigs, TsconfigInfo } from './tsconfig.js';

/** What is kept of the tsconfig files. */
interface ProjectCache extends ParsedTsconfigs {
  /**
   * Everything else that decides: format of this file, the tsconfig's path, the compiler's version.
   */
  readonly key: string;
  /** The hash of each input. */
  readonly hashes: readonly string[];
  /** Files seen that no `include` covers: the root's tsconfig rules them. */
  readonly outside: readonly string[];
}

/** The running detsim, which may lie in the project: in its own repository, for instance. */
const ownCode = path.resolve(__dirname, '../..');

const cacheFormat = 'project 1';
const overlayDefault = '.detsim/overlay';

export class Project {
  /** The package.json files around the project's files. */
  readonly scopes = new PackageScopes();
  /** The folder of the overlay, absolute. */
  readonly overlayFolder: string;
  private readonly cacheFile: string;
  private readonly isStubFile: (path: string) => boolean;
  private readonly instrumentedFolders: readonly string[];
  private readonly rootTsconfig: string | undefined;
  private cache: ProjectCache | undefined;
  private owners: Map<string, TsconfigInfo> | undefined;
  private parsedNow = false;

  /**
   * Reads no tsconfig yet: a worker is started while the coordinator does, and finds what it has
   * kept.
   * @param root absolute path without symbolic links
   * @throws UserError when the tsconfig that the config names is missing
   */
  constructor(
    readonly root: string,
    readonly config: Config,
  ) {
    this.overlayFolder = path.resolve(root, config.overlay ?? overlayDefault);
    this.cacheFile = path.join(this.overlayFolder, 'project.json');
    this.isStubFile = globMatcher(config.stubs ?? []);
    this.instrumentedFolders = (config.instrument ?? [])
      .map((name) => path.join(root, 'node_modules', name))
      .filter((folder) => existsSync(folder))
      .map(realPath);
    this.rootTsconfig = findRootTsconfig(root, config);
  }

  /**
   * The root's tsconfig and those it references; empty for a project without any.
   * @throws UserError when one is not valid
   */
  get tsconfigs(): readonly TsconfigInfo[] {
    return this.known.tsconfigs;
  }

  /** The files that the tsconfig's content depends on. */
  get tsconfigInputs(): readonly string[] {
    return this.known.inputs;
  }

  /** Whether a file (absolute, without symbolic links) gets yield points when it is loaded. */
  isInstrumented(file: string): boolean {
    if (!isSourceFile(file) || isInside(ownCode, file)) return false;
    const name = packageNameOf(file);
    if (name === undefined && isInside(this.root, file)) return !isInside(this.overlayFolder, file);
    return (
      (name !== undefined && (this.config.instrument ?? []).includes(name)) ||
      this.instrumentedFolders.some(
        (folder) => isInside(folder, file) && packageNameOf(folder) === name,
      )
    );
  }

  /** Whether the file lies in the project itself, not in a package. */
  isOwn(file: string): boolean {
    return packageNameOf(file) === undefined && isInside(this.root, file);
  }

  /** Whether the file holds stand-ins by its name, or because the config's `stubs` say so. */
  isStub(file: string): boolean {
    const relative = relativePosix(this.root, file);
    return (this.isOwn(file) && isTestFile(relative)) || this.isStubFile(relative);
  }

  /**
   * The tsconfig that rules a file of the project: undefined for packages, and without a tsconfig.
   */
  tsconfigOf(file: string): TsconfigInfo | undefined {
    const [root, ...references] = this.tsconfigs;
    if (root === undefined || !this.isOwn(file)) return undefined;
    if (references.length === 0) return root;
    return this.ownerOf(file) ?? this.ownerAfterNewLook(file) ?? root;
  }

  /** What the file is for Node, or that its own syntax decides. */
  formatRuleOf(file: string): FormatRule {
    const scope = this.scopes.nearest(path.dirname(file));
    return formatRule(file, this.tsconfigOf(file)?.options.module, scope?.json['type'] as string);
  }

  private ownerOf(file: string): TsconfigInfo | undefined {
    if (this.owners === undefined) {
      this.owners = new Map();
      for (const tsconfig of this.tsconfigs) {
        for (const one of tsconfig.files) {
          if (!this.owners.has(one)) this.owners.set(one, tsconfig);
        }
      }
    }
    return this.owners.get(file);
  }

  /** A file that is in no list may be new: the patterns are evaluated again, once. */
  private ownerAfterNewLook(file: string): TsconfigInfo | undefined {
    if (this.known.outside.includes(file)) return undefined;
    if (!this.parsedNow) {
      this.parse();
      this.owners = undefined;
    }
    const owner = this.ownerOf(file);
    if (owner === undefined) {
      const { known } = this;
      this.keep({ ...known, outside: [...known.outside, file] });
    }
    return owner;
  }

  private get known(): ProjectCache {
    return (this.cache ??= this.readCache() ?? this.parse());
  }

  private parse(): ProjectCache {
    this.parsedNow = true;
    let parsed: ParsedTsconfigs = { tsconfigs: [], inputs: [] };
    if (this.rootTsconfig !== undefined) {
      const { parseTsconfigs } = require('./tsconfig.js') as typeof import('./tsconfig.js');
      parsed = parseTsconfigs(this.rootTsconfig, majorOf(typescriptVersionOf(this.root)));
    }
    return this.keep({
      ...parsed,
      key: this.cacheKey(),
      hashes: parsed.inputs.map(contentHash),
      outside: [],
    });
  }

  private readCache(): ProjectCache | undefined {
    const cache = readJsonIfAny<ProjectCache>(this.cacheFile);
    if (cache?.key !== this.cacheKey()) return undefined;
    return cache.inputs.every((file, i) => contentHash(file) === cache.hashes[i])
      ? cache
      : undefined;
  }

  private keep(cache: ProjectCache): ProjectCache {
    writeAtomically(this.cacheFile, JSON.stringify(cache));
    return (this.cache = cache);
  }

  private cacheKey(): string {
    return hashOf(cacheFormat, this.rootTsconfig ?? '', typescriptVersionOf(this.root) ?? '');
  }
}

/** The nearest folder that holds a package.json or a detsim config. */
export function findRoot(from: string): string {
  const start = realPath(path.resolve(from));
  for (let folder = start; ; folder = path.dirname(folder)) {
    const holds = ['package.json', 'detsim.config.json'].some((name) =>
      isFile(path.join(folder, name)),
    );
    if (holds) return folder;
    if (path.dirname(folder) === folder) {
      throw new UserError(
        `no project found: there is no package.json or detsim.config.json in ${start} or above it; ` +
          'run detsim in your project, or create one with `npm init`',
      );
    }
  }
}

/** The version of TypeScript installed for the project, for instance `5.6.3`. */
export function typescriptVersionOf(root: string): string | undefined {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const file = path.join(folder, 'node_modules/typescript/package.json');
    const version = readJsonIfAny<{ version?: string }>(file)?.version;
    if (version !== undefined) return version;
    if (path.dirname(folder) === folder) return undefined;
  }
}

/** Our own compiler's major version, where the project has none. */
const ownMajor = 6;

function majorOf(version: string | undefined): number {
  return version === undefined ? ownMajor : Number.parseInt(version, 10);
}

function findRootTsconfig(root: string, config: Config): string | undefined {
  const file = path.resolve(root, config.tsconfig ?? 'tsconfig.json');
  if (isFile(file)) return file;
  if (config.tsconfig === undefined) return undefined;
  throw new UserError(
    `the config names the tsconfig "${config.tsconfig}", but there is no file ${file}; ` +
      'correct the path, or remove "tsconfig" to use tsconfig.json',
  );
}

function globMatcher(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const matches = picomatch(globs.map((glob) => glob.replace(/^\.\//, '')));
  return (file) => matches(file);
}
