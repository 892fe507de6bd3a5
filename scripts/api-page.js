/**
 * Writes docs/api.md, the reference of what `detsim` exports, from the docstrings of the source.
 *
 *     node scripts/api-page.js [--check]
 *
 * With --check nothing is written, and the status is 1 when the page is not what it should be.
 */

'use strict';

const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

const root = path.join(__dirname, '..');
const page = path.join(root, 'docs', 'api.md');

const LINK = /\{@link ([\w.]+) ?\}/g;

/** The parts of the page: what is described in the files below a folder. */
const PARTS = [
  ['One test under many seeds', ['runtime/simulate']],
  ['Simulations by hand', ['runtime/sim/', 'runtime/kernel', 'runtime/explore']],
  ['Hosts and faults', ['runtime/hosts', 'runtime/node']],
  ['Networks and disks', ['runtime/network', 'runtime/storage']],
  ['Tasks', ['runtime/tasks']],
  ['Histories', ['runtime/check']],
  ['Errors', ['runtime/errors.ts']],
];

function program() {
  const config = ts.readConfigFile(path.join(root, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  return ts.createProgram([path.join(root, 'index.ts')], { ...options, noEmit: true });
}

function main() {
  const built = program();
  const checker = built.getTypeChecker();
  const entry = built.getSourceFile(path.join(root, 'index.ts'));
  const printer = ts.createPrinter({ removeComments: true });
  const exported = checker
    .getExportsOfModule(checker.getSymbolAtLocation(entry))
    .map((symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    )
    .map((symbol) => ({ symbol, declaration: symbol.declarations[0] }));

  const fileOf = ({ declaration }) =>
    path.relative(root, declaration.getSourceFile().fileName).split(path.sep).join('/');
  const print = (node) =>
    printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).trim();

  /** A declaration without its body and without what is not public. */
  const signature = (node) => {
    if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) {
      return print(node)
        .replace(/ \{[^]*$/, ';')
        .replace(/^export (?:async )?/, '');
    }
    if (ts.isClassDeclaration(node)) {
      const heritage = (node.heritageClauses ?? []).map(print).join(' ');
      return `class ${node.name.text}${heritage === '' ? '' : ` ${heritage}`}`;
    }
    if (ts.isInterfaceDeclaration(node)) return `interface ${node.name.text}`;
    if (ts.isVariableDeclaration(node)) return `const ${print(node)}`.replace(/ = [^]*$/, '');
    return print(node).replace(/^export /, '');
  };

  const docsOf = (symbol) =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  const tagsOf = (symbol) =>
    symbol
      .getJsDocTags(checker)
      .filter(({ name }) => ['param', 'returns', 'throws'].includes(name))
      .map(({ name, text }) => {
        const shown = ts.displayPartsToString(text).trim();
        const said = shown.replace(LINK, '`$1`').replace(/\s*\n\s*/g, ' ');
        if (name === 'param') {
          const [, parameter, rest = ''] = /^(\S+)\s*([^]*)$/.exec(said) ?? [];
          return `- \`${parameter}\`: ${rest}`;
        }
        return name === 'returns'
          ? `- Returns ${said}`
          : `- Throws ${said.replace(/^\{([^}]*)\}/, '`$1`')}`;
      });
  const text = (symbol) => {
    const said = docsOf(symbol).replace(LINK, '`$1`');
    return [said, ...tagsOf(symbol)].filter((one) => one !== '').join('\n');
  };

  const isPublic = (node) =>
    !(
      ts.getCombinedModifierFlags(node) &
      (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
    ) &&
    !(node.name && ts.isPrivateIdentifier(node.name)) &&
    !ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal');

  const members = (declaration) => {
    if (!ts.isClassDeclaration(declaration) && !ts.isInterfaceDeclaration(declaration)) return [];
    return declaration.members.filter(isPublic).flatMap((member) => {
      const symbol = member.symbol ?? checker.getSymbolAtLocation(member.name);
      if (symbol === undefined) return [];
      const shown = ts.isConstructorDeclaration(member)
        ? `new ${declaration.name.text}(${member.parameters.map(print).join(', ')})`
        : signature(member)
            .replace(/\s*\n\s*/g, ' ')
            .replace(/;$/, '')
            .replace(/ = .*$/, '');
      const said = ts.isConstructorDeclaration(member)
        ? text({
            getDocumentationComment: () =>
              checker.getSignatureFromDeclaration(member).getDocumentationComment(checker),
            getJsDocTags: () => checker.getSignatureFromDeclaration(member).getJsDocTags(),
          })
        : text(symbol);
      const lines = said.split('\n').filter((line) => line !== '');
      return [`- \`${shown}\``, ...lines.map((line) => `  ${line}`)];
    });
  };

  const out = [
    '# API reference',
    '',
    'What `import … from "detsim"` gives. This page is written from the docstrings of the source by',
    '`node scripts/api-page.js`. Times are virtual, in nanoseconds, unless a name says otherwise.',
    '',
  ];
  const left = new Set(exported);
  for (const [title, folders] of PARTS) {
    const here = exported.filter((one) => folders.some((folder) => fileOf(one).startsWith(folder)));
    out.push(`## ${title}`, '');
    for (const one of here.sort((a, b) => (a.symbol.name < b.symbol.name ? -1 : 1))) {
      left.delete(one);
      const { symbol, declaration } = one;
      const overloads = symbol.declarations.filter(
        (one) => ts.isFunctionDeclaration(one) && one.body === undefined,
      );
      const shown = overloads.length > 0 ? overloads : [declaration];
      out.push(`### ${symbol.name}`, '', '```ts', ...shown.map(signature), '```', '');
      const said = text(symbol);
      if (said !== '') out.push(said, '');
      const list = members(declaration);
      if (list.length > 0) out.push(...list, '');
    }
  }
  if (left.size > 0) {
    const names = [...left].map((one) => `${one.symbol.name} (${fileOf(one)})`).join(', ');
    throw new Error(`No part of the page holds ${names}. Add its folder to PARTS.`);
  }
  return out.join('\n');
}

async function write() {
  const prettier = await import('prettier');
  const options = await prettier.resolveConfig(page);
  const format = (text) => prettier.format(text, { ...options, filepath: page });
  // Escapes that formatting adds can make it break lines otherwise the next time.
  const made = await format(await format(main()));
  if (!process.argv.includes('--check')) return fs.writeFileSync(page, made);
  if (fs.existsSync(page) && fs.readFileSync(page, 'utf8') === made) return;
  console.error('docs/api.md is not what the docstrings say: run `node scripts/api-page.js`.');
  process.exitCode = 1;
}

void write();
