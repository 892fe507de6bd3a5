/**
 * Errors of the loader, with the codes that Node gives them: test runners and programs look at
 * those.
 */

import path from 'node:path';
import { topLevelAwaitPosition } from './top-level-await.js';
import type { CompiledFile } from './types.js';

/** `require` of an ES module that awaits. @param cause the module that does, where it is known */
export function asyncModuleError(request: string, cause?: CompiledFile): Error {
  const where = cause === undefined ? '' : ` (${cause.path}${topLevelAwaitPosition(cause.code)})`;
  return Object.assign(
    new Error(
      `require() of ${request}: this is an ES module that awaits at its top level${where}; ` +
        'load it with import() instead',
    ),
    { code: 'ERR_REQUIRE_ASYNC_MODULE' },
  );
}

/** An import that leads nowhere. */
export function notFoundError(request: string, importer: string): Error {
  const what = isPath(request)
    ? `module '${path.resolve(path.dirname(importer), request)}'`
    : `package '${request}'`;
  return Object.assign(new Error(`Cannot find ${what} imported from ${importer}`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
}

/** Whether a specifier is a relative or an absolute path, not the name of a package. */
export function isPath(specifier: string): boolean {
  return /^\.{0,2}\//.test(specifier) || path.isAbsolute(specifier);
}
