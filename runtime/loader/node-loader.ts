/**
 * The loader inside Node's own.
 *
 * Tools for tests (proxyquire, mock-require, testdouble, ...) replace modules through the
 * undocumented parts of Node's CommonJS loader, and libraries load files of the project by path
 * (migrations, plugins). So Node's loader is taught, once a process, that files of the overlay
 * belong to the registry of the present trial. Where nobody has replaced anything, our own path
 * does not come by here.
 */

import Module from 'node:module';
import path from 'node:path';
import { forgetOverlayFiles, type CommonJsModules } from './commonjs.js';
import type { Loader } from './loader.js';
import type { Resolution } from './types.js';

type Load = (request: string, parent: NodeModule | undefined, isMain: boolean) => unknown;
type Handler = (module: NodeModule, file: string) => void;

interface NodeModuleLoader {
  _load: Load;
  _resolveFilename: (
    request: string,
    parent: NodeModule | undefined,
    isMain: boolean,
    options?: { paths?: string[] },
  ) => string;
  readonly _cache: NodeJS.Dict<NodeModule>;
  readonly _extensions: Record<string, Handler | undefined>;
  /** Node's loader without us. */
  readonly load: Load;
}

const real = Module as unknown as NodeModuleLoader;
const { _load: realLoad, _resolveFilename: realResolve } = real;

/** Node's loader: its present parts, whoever has replaced them, and the real `load`. */
export const nodeModules: NodeModuleLoader = Object.create(real, {
  load: {
    value: (...args: Parameters<Load>): unknown => Reflect.apply(realLoad, real, args),
  },
}) as NodeModuleLoader;

/** The trial that is running: its loader, and its modules. */
interface Present {
  readonly loader: Loader;
  readonly modules: CommonJsModules;
}

let present: Present | undefined;
let installed = false;

/** What the handlers of file extensions were when the present trial began. */
let handlers: Record<string, Handler | undefined> = {};

const extensions = ['.js', '.ts', '.tsx', '.jsx', '.mts', '.cts'];

/** Makes a registry the one that Node's loader asks. */
export function becomePresent(loader: Loader, modules: CommonJsModules): void {
  if (!installed) install();
  present?.modules.retire();
  if (present?.loader !== loader) forgetOverlayFiles(loader, Object.keys(real._cache));
  present = { loader, modules };
  modules.begin();
  // A compiler hooked in by a `--require` must not compile what we have compiled.
  handlers = { ...real._extensions };
}

/** Where tools may stand between a `require` and us. */
export const pathOfTools = {
  load,
  /** What loads a file instead of us, because a test has set it since the trial began. */
  handlerFor(file: string): Handler | undefined {
    const extension = path.extname(file);
    const handler = real._extensions[extension];
    return handler === handlers[extension] ? undefined : handler;
  },
};

function load(request: string, parent: NodeModule | undefined, isMain: boolean): unknown {
  if (present !== undefined && typeof request === 'string') {
    const { modules } = present;
    if (parent !== undefined && modules.owns(parent)) return modules.request(request, parent);
    const found = locate(present, request, parent);
    if (found?.kind === 'overlay') return modules.requireFile(found.file, parent);
    if (found?.kind === 'json') return modules.requireJson(found.file, parent);
  }
  return nodeModules.load(request, parent, isMain);
}

function resolveFilename(
  this: unknown,
  request: string,
  parent: NodeModule | undefined,
  ...rest: [boolean, { paths?: string[] }?]
): string {
  if (present !== undefined && typeof request === 'string' && rest[1]?.paths === undefined) {
    const found = locate(present, request, parent);
    if (found?.kind === 'overlay' || found?.kind === 'json') return found.file;
  }
  return Reflect.apply(realResolve, this, [request, parent, ...rest]);
}

/** Where a request leads when it comes from a file of the overlay, or is a path to one. */
function locate(
  { loader: { overlay, outside } }: Present,
  request: string,
  parent: NodeModule | undefined,
): Resolution | undefined {
  const importer = parent?.filename;
  if (typeof importer === 'string' && overlay.has(importer)) {
    return outside(() => overlay.resolve(request, importer, 'require'));
  }
  if (!path.isAbsolute(request)) return undefined;
  return outside(() =>
    overlay.resolve(request, path.join(overlay.root, 'package.json'), 'require'),
  );
}

function install(): void {
  installed = true;
  real._load = load;
  real._resolveFilename = resolveFilename;
  for (const extension of extensions) {
    const before = real._extensions[extension];
    real._extensions[extension] = (module, file) => {
      if (present?.loader.overlay.has(file) === true) {
        present.modules.evaluateInto(module, file);
      } else (before ?? real._extensions['.js'])!(module, file);
    };
  }
}
