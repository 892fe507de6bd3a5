/** Each rule against its example file and its golden output; each fix applied and compiled. */

import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { checkFile, rules } from '../../transformer/analyzer/check/index.js';
import { applyFix, exampleNames, folder, goldenFile, outputOf, programOf } from './examples.js';

const program = programOf();

describe('rules', function () {
  this.timeout(60_000);

  it('each has an example file of its name, and codes in order', () => {
    const stems = exampleNames().map((name) => name.replace(/\.\w+$/, ''));
    expect(stems).to.have.members(rules.map((rule) => rule.name));
    const codes = rules.map((rule) => rule.code);
    expect(codes).to.deep.equal([...new Set(codes)].sort());
    for (const { code, severity } of rules) {
      if (code === 'DS1000') continue;
      expect(severity, code).to.equal(code < 'DS1100' ? 'error' : 'warning');
    }
  });

  it('the example files type-check', () => {
    const text = ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => folder,
      getNewLine: () => '\n',
    });
    expect(text).to.equal('');
  });

  for (const name of exampleNames()) {
    it(`${name}: golden output`, () => {
      const text = outputOf(program, name);
      expect(text).to.equal(fs.readFileSync(goldenFile(name), 'utf8'));
      const code = rules.find((rule) => rule.name === name.replace(/\.\w+$/, ''))!.code;
      expect(text).to.include(` ${code} `);
    });

    it(`${name}: flagged lines only above "Not flagged."`, () => {
      const file = program.getSourceFile(path.join(folder, name))!;
      const code = rules.find((rule) => rule.name === name.replace(/\.\w+$/, ''))!.code;
      const flagged = file.text.indexOf('// Flagged.');
      const border = file.text.indexOf('// Not flagged.');
      expect(flagged, 'Flagged.').to.be.greaterThan(-1);
      expect(border, 'Not flagged.').to.be.greaterThan(flagged);
      for (const finding of checkFile(ts, program, file)) {
        if (finding.rule.code !== code) continue;
        const inPlace = finding.start > flagged && finding.start < border;
        expect(inPlace, `${name}:${finding.start}`).to.equal(true);
      }
    });
  }

  it('a fix, applied, compiles', () => {
    const fixed = new Map<string, string>();
    for (const name of exampleNames()) {
      const file = program.getSourceFile(path.join(folder, name))!;
      for (const { fixes } of checkFile(ts, program, file)) {
        for (const fix of fixes) {
          fixed.set(path.join(folder, `fixed-${fixed.size}.ts`), applyFix(file.text, fix));
        }
      }
    }
    expect(fixed.size).to.be.greaterThan(0);
    const changed = programOf(fixed);
    for (const [name, text] of fixed) {
      const file = changed.getSourceFile(name);
      const found = [
        ...changed.getSyntacticDiagnostics(file),
        ...changed.getSemanticDiagnostics(file),
      ].map((one) => ts.flattenDiagnosticMessageText(one.messageText, ' '));
      expect(found, text).to.deep.equal([]);
    }
  });
});
