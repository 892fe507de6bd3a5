/**
 * The name of a declaration in the default library, in the types of Node, or in a package's types:
 * the module that declares it, and the names from there on, written as a program would write them.
 */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';

/** The interfaces behind the globals, and what else has a name that nobody writes. */
const PREFIXES: readonly (readonly [declared: string, written: string])[] = [
  ['NodeJS.Process', 'process'],
  ['NodeJS.HRTime', 'process.hrtime'],
  ['NodeJS.MemoryUsageFn', 'process.memoryUsage'],
  ['NodeJS.EventEmitter', 'events.EventEmitter'],
  ['events.internal', 'events.EventEmitter'],
  ['events.EventEmitter.static', 'events'],
  ['NodeJS.Require', 'require'],
  ['timers.setTimeout', 'setTimeout'],
  ['timers.setInterval', 'setInterval'],
  ['timers.setImmediate', 'setImmediate'],
  ['NodeJS.Timer', 'NodeJS.Timeout'],
  ['Performance', 'performance'],
  ['perf_hooks.Performance', 'performance'],
  ['perf_hooks.performance', 'performance'],
  ['Crypto', 'crypto'],
  ['crypto.webcrypto.Crypto', 'crypto'],
  ['crypto.webcrypto.SubtleCrypto', 'crypto.subtle'],
  ['crypto.webcrypto', 'crypto'],
  ['SubtleCrypto', 'crypto.subtle'],
  ['NodeRequire', 'require'],
  ['cluster.Cluster', 'cluster'],
  ['process.process', 'process'],
  ['buffer.globalThis', ''],
  ['WindowOrWorkerGlobalScope', ''],
  ['Window', ''],
  ['globalThis', ''],
  ['global', ''],
];

/** Modules that are properties of others. */
const MODULES: Record<string, string> = {
  'fs/promises': 'fs.promises',
  'dns/promises': 'dns.promises',
};

/**
 * The one way to write a name.
 * @param module without `node:`; undefined for a global
 */
export function canonicalName(
  module: string | undefined,
  path: readonly string[],
): string | undefined {
  const rest = module === undefined ? path : path.filter((name) => name !== 'default');
  const first = module === undefined ? [] : [MODULES[module] ?? module];
  let name = [...first, ...rest].join('.');
  for (const [declared, written] of PREFIXES) {
    if (name !== declared && !name.startsWith(`${declared}.`)) continue;
    name = written + name.slice(declared.length);
    if (written === '') name = name.slice(1);
  }
  // The static side of `Date` is declared as `DateConstructor`.
  name = name.replace(/^(\w+)Constructor(?=\.)/, '$1').replace('.static.', '.');
  return name === '' ? undefined : name;
}

/** Nobody edits the declarations of packages, so they last from program to program. */
const known = new WeakMap<ts.Declaration, { readonly name: string | undefined }>();

/** The name of a declaration in a declaration file. */
export function declaredName(ts: TypeScript, declaration: ts.Declaration): string | undefined {
  let found = known.get(declaration);
  if (found === undefined) {
    found = { name: findName(ts, declaration) };
    if (isPackaged(declaration)) known.set(declaration, found);
  }
  return found.name;
}

/** Whether a declaration is one of the types of a package, the compiler's own among them. */
export function isPackaged(declaration: ts.Declaration): boolean {
  const file = declaration.getSourceFile();
  return file.isDeclarationFile && file.fileName.includes('/node_modules/');
}

function findName(ts: TypeScript, declaration: ts.Declaration): string | undefined {
  const path: string[] = [];
  for (let node: ts.Node = declaration; ; node = node.parent) {
    if (ts.isSourceFile(node)) {
      if (!ts.isExternalModule(node)) return canonicalName(undefined, path);
      return canonicalName(packageOf(node.fileName), path);
    }
    if (ts.isModuleDeclaration(node)) {
      if ((node.flags & ts.NodeFlags.GlobalAugmentation) !== 0) {
        return canonicalName(undefined, path);
      }
      if (ts.isStringLiteral(node.name)) {
        return canonicalName(node.name.text.replace(/^node:/, ''), path);
      }
    }
    const name = ownName(ts, node);
    if (name !== undefined) path.unshift(name);
    // `events.once` is a static method of the class whose instances have a method `once`.
    if (isStatic(ts, node)) path.unshift('static');
  }
}

function ownName(ts: TypeScript, node: ts.Node): string | undefined {
  const named =
    ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isModuleDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isGetAccessorDeclaration(node);
  if (!named || node.name === undefined) return undefined;
  return ts.isIdentifier(node.name) || ts.isStringLiteral(node.name) ? node.name.text : undefined;
}

function isStatic(ts: TypeScript, node: ts.Node): boolean {
  return (
    ts.isMethodDeclaration(node) &&
    (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static) !== 0
  );
}

/** `node_modules/@types/x` and `node_modules/x` are both x. */
function packageOf(file: string): string {
  const match = /.*\/node_modules\/(?:@types\/)?((?:@[^/]+\/)?[^/]+)/.exec(file);
  return match === null ? '?' : match[1];
}
