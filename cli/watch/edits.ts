/**
 * Edits of a project's files, as the system reports them.
 *
 * An editor writes one file in several steps, and a version control system many files at once: what
 * comes within a moment is one edit.
 */

import { watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

/** How long nothing more may come, in ms. */
const MOMENT_MS = 40;

/** Folders in which nobody edits. */
const IGNORED = /(?:^|[\\/])(?:node_modules|\.git|\.detsim|coverage|dist)(?:[\\/]|$)/;

export class Edits {
  private readonly watcher: FSWatcher;
  private files = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param root the folder that is watched, absolute
   * @param ignored further folders, absolute
   * @param onEdit is told the absolute paths
   */
  constructor(root: string, ignored: readonly string[], onEdit: (files: Set<string>) => void) {
    this.watcher = watch(root, { recursive: true }, (_, name) => {
      if (name === null || IGNORED.test(name)) return;
      const file = path.join(root, name);
      if (ignored.some((folder) => file.startsWith(folder + path.sep))) return;
      this.files.add(file);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        const { files } = this;
        this.files = new Set();
        onEdit(files);
      }, MOMENT_MS);
    });
  }

  close(): void {
    clearTimeout(this.timer);
    this.watcher.close();
  }
}
