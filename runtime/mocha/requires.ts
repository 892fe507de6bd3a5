/**
 * The modules of mocha's `--require`.
 *
 * Files of the project are evaluated in every trial, by the loader, before the spec: they share
 * modules with it. Packages are loaded once. What only registers a compiler is left out, as detsim
 * compiles by itself.
 */

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { OverlaySource } from '../loader/types.js';
import type { MochaOptions } from './mocha-package.js';

/** A file to evaluate in every trial, or what a package has exported. */
export type Required = { readonly file: string } | { readonly exports: unknown };

const COMPILERS = [
  /^(?:ts-node|ts-node-dev|ts-patch|tsx|tsimp|@swc\/register|@swc-node\/register)(?:\/|$)/,
  /^(?:@babel\/register|esbuild-register|esbuild-runner|sucrase|jiti|esm|@esbuild-kit)(?:\/|$)/,
  /^(?:source-map-support|tsconfig-paths|module-alias\/ts|detsim)(?:\/|$)/,
];

/** Whether a `--require` only registers a compiler, source maps, path aliases, or detsim itself. */
export function isCompiler(request: string): boolean {
  const inPackages = /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+(?:[\\/].*)?)$/.exec(request);
  const name = (inPackages?.[1] ?? request).replace(/\\/g, '/');
  return COMPILERS.some((pattern) => pattern.test(name));
}

/**
 * Loads the packages and finds the files.
 * @throws an error for the user when one cannot be found or loaded
 */
export function loadRequires(
  options: MochaOptions,
  root: string,
  overlay: OverlaySource,
): Required[] {
  const requests = [options.require ?? []].flat() as string[];
  const main = path.join(root, 'package.json');
  const require = createRequire(main);
  return requests
    .filter((request) => !isCompiler(request) && !isRegister(root, request))
    .map((request) => {
      const target = localFile(root, request) ?? request;
      const found = overlay.resolve(target, main, 'require');
      if (found.kind === 'overlay') return { file: found.file };
      try {
        return { exports: require(target) as unknown };
      } catch (error) {
        throw new Error(
          `The module "${request}" of mocha's "require" option cannot be loaded: ` +
            `${error instanceof Error ? error.message : String(error)}`,
          { cause: error },
        );
      }
    });
}

/** `detsim/register` by its path. */
function isRegister(root: string, request: string): boolean {
  const file = localFile(root, request);
  return file !== undefined && fs.realpathSync(file) === path.join(__dirname, 'register.js');
}

/** Mocha looks for a file, relative to the working directory, before it looks for a package. */
function localFile(root: string, request: string): string | undefined {
  const file = path.resolve(root, request);
  return [file, `${file}.js`].find((name) => fs.existsSync(name));
}
