/**
 * Fixture projects: copied to a folder of their own, so that a test may edit them and the overlay
 * does not end up in the source tree.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../cli/config.js';
import { Overlay, type OverlayOptions } from '../../cli/overlay/overlay.js';
import { Project } from '../../cli/overlay/project.js';

const fixtures = path.join(__dirname, '../../../test/fixtures/overlay');
const copies: string[] = [];

// The first compile loads TypeScript; its time should not count as some test's.
before(function () {
  this.timeout(60_000);
  const root = writeProject({ 'package.json': '{}', 'a.ts': 'export const a = 1;' });
  openOverlay(root).get(path.join(root, 'a.ts'));
});

after(function () {
  this.timeout(60_000);
  for (const folder of copies) fs.rmSync(folder, { recursive: true, force: true });
});

/** An empty folder which is removed when the tests are done. */
export function emptyFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-fixture-')));
  copies.push(folder);
  return folder;
}

/** Copies a fixture. Folders named `packages` hold what a project has in `node_modules`. */
export function copyFixture(name: string): string {
  const root = path.join(emptyFolder(), name);
  fs.cpSync(path.join(fixtures, name), root, { recursive: true });
  const packages = path.join(root, 'packages');
  if (fs.existsSync(packages)) fs.renameSync(packages, path.join(root, 'node_modules'));
  return root;
}

/** Writes files of a small project; the keys are paths. */
export function writeProject(files: Readonly<Record<string, string>>): string {
  const root = emptyFolder();
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  return root;
}

export function openOverlay(root: string, options: OverlayOptions = {}): Overlay {
  return new Overlay(new Project(root, loadConfig(root).config), options);
}
