/**
 * Scripts: a place for them.
 */

import type { Engine } from '../engine.js';
import type { Session } from '../session.js';
import { type Reply, fail } from '../reply.js';
export class Scripts {
  constructor(readonly engine: Engine) {}
  run(..._: unknown[]): Reply {
    return fail('ERR no scripts');
  }
  call(_s: Session, ..._: unknown[]): Reply {
    return fail('ERR no scripts');
  }
  load(_: string): string {
    return '';
  }
  has(_: string): boolean {
    return false;
  }
  flush(): void {}
  loadLibrary(..._: unknown[]): Reply {
    return null;
  }
  deleteLibrary(_: string): void {}
  flushLibraries(): void {}
  listLibraries(): Reply {
    return [];
  }
}
