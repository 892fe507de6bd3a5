/**
 * Questions about types that several rules ask. Only the engine's own promises count: a lazy query
 * builder with a `then` is no promise, and to leave one alone is no mistake.
 */

import type ts from 'typescript';
import type { TypeScript } from '../sites.js';
import { isPackaged } from './declared-name.js';
import type { Names } from './names.js';

/** The same by the first declaration, from program to program: nobody edits those of packages. */
const inPackages = new WeakMap<ts.Declaration, ReadonlySet<string>>();

export class Types {
  /** The names of classes and interfaces, and of what they extend. */
  private readonly namesOf = new Map<ts.Type, ReadonlySet<string>>();

  constructor(
    private readonly ts: TypeScript,
    private readonly checker: ts.TypeChecker,
    private readonly names: Names,
  ) {}

  /** Whether values of the type may be promises. */
  isPromise(type: ts.Type): boolean {
    const { ts } = this;
    const { Object, UnionOrIntersection, Instantiable } = ts.TypeFlags;
    if ((type.flags & (Object | UnionOrIntersection | Instantiable)) === 0) return false;
    if (type.isUnion()) return type.types.some((one) => this.isPromise(one));
    return this.inherits(type, 'Promise');
  }

  /** Whether calling a value of the type always gives a promise. */
  returnsPromise(type: ts.Type): boolean {
    const signatures = type.getCallSignatures();
    return (
      signatures.length > 0 &&
      signatures.every((one) => this.isPromise(this.checker.getReturnTypeOfSignature(one)))
    );
  }

  /** Whether the type is the named class or interface of Node or of the language, or extends it. */
  inherits(type: ts.Type, ...wanted: readonly string[]): boolean {
    if (type.isUnion()) return type.types.some((one) => this.inherits(one, ...wanted));
    const known = this.namesIn((type as ts.TypeReference).target ?? type);
    return wanted.some((name) => known.has(name));
  }

  private namesIn(type: ts.Type): ReadonlySet<string> {
    const known = this.namesOf.get(type);
    if (known !== undefined) return known;
    const declaration = packaged(type);
    const found = (declaration && inPackages.get(declaration)) ?? this.findNames(type);
    this.namesOf.set(type, found);
    if (declaration !== undefined) inPackages.set(declaration, found);
    return found;
  }

  private findNames(type: ts.Type): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = [type];
    const seen = new Set<ts.Type>();
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (seen.has(one)) continue;
      seen.add(one);
      const name = one.symbol === undefined ? undefined : this.names.ofSymbol(one.symbol);
      if (name !== undefined) found.add(name);
      if (one.isIntersection()) waiting.push(...one.types);
      const target = (one as ts.TypeReference).target ?? one;
      if (target !== one) waiting.push(target);
      if (target.isClassOrInterface() && hasHeritage(target))
        waiting.push(...this.checker.getBaseTypes(target));
    }
    return found;
  }
}

/** The first declaration of a class or interface that is declared in packages alone. */
function packaged(type: ts.Type): ts.Declaration | undefined {
  const declarations = type.isClassOrInterface() ? type.symbol.declarations : undefined;
  return declarations?.every(isPackaged) === true ? declarations[0] : undefined;
}

/** Whether a class or interface says that it extends something: if not, the checker need not look. */
function hasHeritage({ symbol }: ts.InterfaceType): boolean {
  const declarations = (symbol.declarations ?? []) as ts.ClassLikeDeclaration[];
  return declarations.some((one) => one.heritageClauses !== undefined);
}
