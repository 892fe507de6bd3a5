/**
 * What the loader needs to know of an overlay: where a specifier leads, and the compiled text of a
 * file. The overlay of the command line implements it; tests may use a simpler one.
 */

/** What a file is for Node, whatever the compiled text looks like (that is always CommonJS). */
export type ModuleFormat = 'commonjs' | 'module';

/** How a specifier is asked for; it decides which `exports` conditions of a package hold. */
export type RequestKind = 'require' | 'import';

/**
 * What `import()` means: the real thing, or what TypeScript makes of it under `module: commonjs`, a
 * `require` with or without `esModuleInterop`.
 */
export type DynamicImport = 'import' | 'require with interop' | 'require';

/** A compiled file of the overlay. */
export interface CompiledFile {
  /** The absolute path of the original file. */
  readonly file: string;
  /** The path used in sites and traces: relative to the project's root, with forward slashes. */
  readonly path: string;
  readonly format: ModuleFormat;
  /** The absolute path of the compiled file; its source map is beside it, with `.map` added. */
  readonly codeFile: string;
  readonly code: string;
  /** Static import specifiers, in order. */
  readonly imports: readonly string[];
  readonly topLevelAwait: boolean;
  /** What `import()` means in the file. */
  readonly dynamicImport: DynamicImport;
}

/** Where a specifier leads. */
export type Resolution =
  /** A file of the overlay: an instrumented file. */
  | { readonly kind: 'overlay'; readonly file: string }
  /** A JSON file of the project: a fresh value for every trial. */
  | { readonly kind: 'json'; readonly file: string }
  /** A file that only declares types: nothing at run time. */
  | { readonly kind: 'types' }
  /** Left to Node: the specifier itself, or the absolute file that the conditions select. */
  | { readonly kind: 'node'; readonly request: string };

/** The source of compiled files. */
export interface OverlaySource {
  /** The project's root folder, an absolute path. */
  readonly root: string;
  /** Whether a file (absolute, without symbolic links) is one that the overlay compiles. */
  has(file: string): boolean;
  /**
   * The compiled file, compiled on demand.
   * @throws an error that names the position and the reason when it cannot be compiled.
   */
  get(file: string): CompiledFile;
  /**
   * Where `specifier` leads from the file `importer`. It does not throw: Node reports what is
   * missing.
   */
  resolve(specifier: string, importer: string, kind: RequestKind): Resolution;
}
