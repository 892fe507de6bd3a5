/** The pages of the docs: links lead somewhere, and the API reference says what the source says. */

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const root = path.join(__dirname, '..', '..', '..');

function markdown(folder: string): string[] {
  return fs.readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : markdown(name);
    return entry.name.endsWith('.md') ? [name] : [];
  });
}

/** The heading that a fragment leads to. */
function anchors(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]+/g, '')
        .replace(/ /g, '-'),
    ),
  );
}

describe('pages', function () {
  this.timeout(120_000);

  for (const page of [
    'README.md',
    'CONTRIBUTING.md',
    ...markdown('docs'),
    ...markdown('examples'),
  ]) {
    it(`${page} links to what is there`, () => {
      const text = fs.readFileSync(path.join(root, page), 'utf8').replace(/^```[^]*?^```/gm, '');
      const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, target]) => target!)
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
          const [file = '', fragment] = target.split('#');
          const full =
            file === '' ? path.join(root, page) : path.join(root, path.dirname(page), file);
          if (!fs.existsSync(full)) return true;
          if (fragment === undefined || !full.endsWith('.md')) return false;
          return !anchors(fs.readFileSync(full, 'utf8')).has(fragment);
        });
      expect(broken).to.deep.equal([]);
    });
  }

  it('docs/api.md says what the docstrings say', () => {
    const script = path.join(root, 'scripts', 'api-page.js');
    const { status, stderr } = spawnSync(process.execPath, [script, '--check'], {
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
  });
});
