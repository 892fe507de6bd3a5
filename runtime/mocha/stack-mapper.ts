/**
 * Maps positions in compiled files to those of the original source.
 *
 * A compiled file has its source map beside it, with `.map` added to its name. Maps are read when a
 * stack first needs them, that is, when a test fails.
 */

import fs from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { passThrough } from '../node/uncontrolled.js';

const { readFileSync, existsSync } = fs;

/** Where the runtime is. */
const ownFolder = path.resolve(__dirname, '..') + path.sep;
/** The same where somebody has mapped the frames to our sources. */
const ownSources = path.resolve(__dirname, '../../../runtime') + path.sep;
const MAX_CAUSES = 5;

const FRAME = /(file:\/\/\/[^\s()]+?|(?:\/|[A-Za-z]:\\)[^()\n]*?):(\d+):(\d+)(?=\)|$)/gm;

export class StackMapper {
  private readonly maps = new Map<string, MappedFile | undefined>();

  /** @param root the project's root folder; positions in it are given relative to it */
  constructor(private readonly root: string) {}

  /**
   * Gives an error, and its causes, a stack with the positions of the original source and without
   * the frames of what runs the test. An error is whatever has a stack: the AssertionError of
   * chai 4 inherits from Error, and was not made by it.
   */
  mapError(error: unknown): void {
    let at = error as { stack?: unknown; cause?: unknown } | undefined | null;
    try {
      for (let i = 0; i < MAX_CAUSES && typeof at?.stack === 'string'; i++) {
        at.stack = this.map(at.stack);
        at = at.cause as typeof at;
      }
    } catch {
      // Frozen, or with getters that throw: it keeps the stack it has.
    }
  }

  /** A text without the project's root in front of its files. */
  relative(text: string): string {
    return text.replaceAll(this.root + path.sep, '');
  }

  /** A stack text with all positions in compiled files replaced. */
  map(stack: string): string {
    const lines = stack.split('\n').filter((line) => !isMachinery(line));
    return lines.join('\n').replace(FRAME, (frame, file: string, line: string, column: string) => {
      const origin = this.origin(file, Number(line), Number(column));
      return origin === undefined ? frame : `${origin.file}:${origin.line}:${origin.column}`;
    });
  }

  /** The innermost position of a mapped stack that lies in the project itself, root-relative. */
  site(stack: string): string | undefined {
    for (const [, file, line, column] of stack.matchAll(FRAME)) {
      const relative = path.relative(this.root, asPath(file));
      if (relative.startsWith('..') || path.isAbsolute(relative)) continue;
      if (/(^|[\\/])(node_modules|\.detsim)[\\/]/.test(relative)) continue;
      return `${relative.split(path.sep).join('/')}:${line}:${column}`;
    }
    return undefined;
  }

  private origin(file: string, line: number, column: number): Origin | undefined {
    const name = asPath(file);
    if (!this.maps.has(name))
      this.maps.set(
        name,
        passThrough(() => readMap(name)),
      );
    return this.maps.get(name)?.origin(line, column);
  }
}

interface Origin {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

class MappedFile {
  private readonly map: SourceMap;

  constructor(
    private readonly folder: string,
    text: string,
  ) {
    this.map = new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]);
  }

  origin(line: number, column: number): Origin | undefined {
    const found = this.map.findEntry(line - 1, column - 1) as Partial<SourceMapping>;
    if (found.originalSource === undefined || found.originalLine === undefined) return undefined;
    return {
      file: path.resolve(this.folder, asPath(found.originalSource)),
      line: found.originalLine + 1,
      column: found.originalColumn! + 1,
    };
  }
}

/** A frame of detsim's, of mocha's, or of Node's own machinery below them. */
function isMachinery(line: string): boolean {
  if (!/^\s+at /.test(line)) return false;
  return (
    line.includes(ownFolder) ||
    line.includes(ownSources) ||
    /[\\/]mocha[\\/]lib[\\/]|\(?node:(?:internal|async_hooks)/.test(line)
  );
}

function readMap(file: string): MappedFile | undefined {
  const mapFile = `${file}.map`;
  if (!path.isAbsolute(file) || !existsSync(mapFile)) return undefined;
  try {
    return new MappedFile(path.dirname(file), readFileSync(mapFile, 'utf8'));
  } catch {
    // A map of somebody else that cannot be read leaves the positions as they are.
    return undefined;
  }
}

function asPath(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
