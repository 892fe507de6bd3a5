'use strict';
/**
 * Writes the pages of the rules, docs/rules/DSxxxx.md, and their index, from the definitions of the
 * rules. A test checks that they are up to date.
 */

const fs = require('node:fs');
const path = require('node:path');
const prettier = require('prettier');

const root = path.join(__dirname, '..');
const folder = path.join(root, 'docs', 'rules');

function rules() {
  return require('../dist/transformer/analyzer/check/index.js').rules;
}

/** What the golden output of the rule's example file says about fixes. */
function fixesOf({ name }) {
  const golden = path.join(root, 'test', 'fixtures', 'rules', `${name}.output`);
  const text = fs.existsSync(golden) ? fs.readFileSync(golden, 'utf8') : '';
  if (text.includes(`fix (safe):`)) return 'by `--fix`, and in the editor';
  return text.includes('fix:') ? 'in the editor' : 'by hand';
}

function page(rule) {
  const { code, name, severity, summary, flagged, why, instead, example } = rule;
  return `# ${code}: ${name}

${summary}.

| severity | fixed |
| --- | --- |
| ${severity} | ${fixesOf(rule)} |

## What is flagged

${flagged}

## Why it cannot be controlled

${why}

## What to write instead

${instead}

## Example

Flagged:

\`\`\`ts
${example.bad}
\`\`\`

Not flagged:

\`\`\`ts
${example.good}
\`\`\`

## To ignore it

\`\`\`ts
// detsim-ignore-next-line ${code}: the reason
\`\`\`

silences the next line, and \`detsim-ignore-file\` the whole file. See [all rules](README.md).
`;
}

function index(all) {
  const rows = all.map(
    (rule) =>
      `| [${rule.code}](${rule.code}.md) | ${rule.severity} | ${rule.summary} | ${fixesOf(rule)} |`,
  );
  return `# Rules

What [\`detsim check\`](../commands.md), the editor plugin and the ESLint plugin show. An error is
a construct that no simulation can control: reached inside a simulation it throws an
\`UncontrolledError\` with the same code, as far as it is a call that can be stopped. A warning is
a construct whose behaviour depends on something that nobody decides, or is other in a simulation.

A comment with the code and a reason silences a rule: \`// detsim-ignore-next-line DS1102: reason\`
for the next line, \`// detsim-ignore-file DS1102: reason\` for the file.

| code | severity | what is flagged | fixed |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

/** Every page, by its path in the repository. */
async function render() {
  const pages = new Map([['docs/rules/README.md', index(rules())]]);
  for (const rule of rules()) pages.set(`docs/rules/${rule.code}.md`, page(rule));
  for (const [name, text] of pages) {
    const options = {
      printWidth: 100,
      singleQuote: true,
      trailingComma: 'all',
      parser: 'markdown',
    };
    pages.set(name, await prettier.format(text, options));
  }
  return pages;
}

module.exports = { render };

async function main() {
  const pages = await render();
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, text] of pages) fs.writeFileSync(path.join(root, name), text);
}

if (require.main === module) main();
