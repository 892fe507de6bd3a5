/** The pages of the rules: up to date, and their examples are what they say. */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { checkFile, rules } from '../../transformer/analyzer/check/index.js';
import { folder, programOf } from './examples.js';

const root = path.join(__dirname, '../../..');

describe('pages of the rules', function () {
  this.timeout(60_000);

  it('are what scripts/rule-pages.js writes', async () => {
    const script = require(path.join(root, 'scripts/rule-pages.js')) as {
      render(): Promise<Map<string, string>>;
    };
    const pages = await script.render();
    const present = fs.readdirSync(path.join(root, 'docs/rules')).map((one) => `docs/rules/${one}`);
    expect(present).to.have.members([...pages.keys()]);
    for (const [name, text] of pages) {
      expect(fs.readFileSync(path.join(root, name), 'utf8'), name).to.equal(text);
    }
  });

  it('the first example of each is flagged, the second is not', () => {
    const files = new Map<string, string>();
    for (const { code, example } of rules) {
      files.set(path.join(folder, `${code}-bad.ts`), example.bad);
      files.set(path.join(folder, `${code}-good.ts`), example.good);
    }
    const program = programOf(files);
    for (const { code } of rules) {
      const codes = (kind: string): string[] =>
        checkFile(ts, program, program.getSourceFile(path.join(folder, `${code}-${kind}.ts`))!).map(
          (finding) => finding.rule.code,
        );
      expect(codes('bad'), code).to.include(code);
      expect(codes('good'), code).to.not.include(code);
    }
  });
});
