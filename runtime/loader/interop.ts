/**
 * How one kind of module looks to the other.
 *
 * Compiled files are CommonJS text throughout, so an ES module's view of a CommonJS module is made
 * here: an object with `default` and the named exports, marked `__esModule`, which the emitted code
 * uses as it is.
 */

import { types } from 'node:util';

export type Namespace = Record<string, unknown>;

/**
 * What `import * as ns` of a CommonJS module gives in an ES module: `default` is `module.exports`
 * whatever it holds, and its properties are named exports, with the values they have now. Node
 * finds the names with a lexer; here every own enumerable property is one.
 */
export function namespaceOfCommonJs(exports: unknown): Namespace {
  const namespace: Namespace = {};
  if ((typeof exports === 'object' && exports !== null) || typeof exports === 'function') {
    for (const key of Object.keys(exports)) {
      if (key !== 'default') namespace[key] = (exports as Namespace)[key];
    }
    // Node shows the mark of a compiled ES module as one more export.
    if (Object.hasOwn(exports, '__esModule')) namespace['__esModule'] = true;
  }
  namespace['default'] = exports;
  return markEsModule(namespace);
}

/**
 * A real namespace, as `require` of an ES module returns it, with the mark that emitted code reads.
 */
export function namespaceOfEsModule(real: Namespace): Namespace {
  if ('__esModule' in real) return real;
  const namespace: Namespace = {};
  for (const key of Object.keys(real)) {
    Object.defineProperty(namespace, key, { enumerable: true, get: () => real[key] });
  }
  return markEsModule(namespace);
}

export function isEsNamespace(value: unknown): value is Namespace {
  return types.isModuleNamespaceObject(value);
}

/**
 * What TypeScript makes of `import()` under `module: commonjs`: the exports of a module that was an
 * ES module, else an object with `default` and the properties.
 */
export function importStar(exports: unknown): unknown {
  const marked = (exports as { __esModule?: unknown } | null | undefined)?.__esModule;
  return marked ? exports : namespaceOfCommonJs(exports);
}

function markEsModule(namespace: Namespace): Namespace {
  if (namespace['__esModule'] === true) return namespace;
  return Object.defineProperty(namespace, '__esModule', { value: true });
}
