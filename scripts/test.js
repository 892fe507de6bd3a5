'use strict';
/**
 * `npm test`: set-up, type check and build, lint, and every test; `npm test -- kernel cli` runs
 * those parts of test/ only.
 *
 * Each folder of test/ runs in a mocha process of its own, since detsim patches globals once per
 * process; the tests of the examples are one more part. The last line counts them all.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { root, modules, install, build } = require('./setup.js');

const fixtures = path.join(root, 'test', 'fixtures');

/** The test files below a folder, as the build has them. */
function testFiles(folder) {
  const found = [];
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && file !== fixtures) found.push(...testFiles(file));
    else if (entry.name.endsWith('.test.ts')) {
      found.push(path.join(root, 'dist', path.relative(root, file).replace(/\.ts$/, '.js')));
    }
  }
  return found.sort();
}

/** The tests of those examples that are part of the build. */
function exampleTests() {
  return testFiles(path.join(root, 'examples')).filter((file) => fs.existsSync(file));
}

/** Test files by part: a folder of test/, "" for the files in test/ itself, or `examples`. */
function parts(wanted) {
  const byPart = new Map();
  for (const file of testFiles(path.join(root, 'test'))) {
    const [first, ...rest] = path.relative(path.join(root, 'dist', 'test'), file).split(path.sep);
    const part = rest.length === 0 ? '' : first;
    const name = rest.length === 0 ? first.replace(/\.test\.js$/, '') : part;
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    byPart.set(part, [...(byPart.get(part) ?? []), file]);
  }
  if (wanted.length === 0 || wanted.includes('examples')) byPart.set('examples', exampleTests());
  return byPart;
}

function nodeTool(title, script, args) {
  console.log(`\n> ${title}`);
  const started = Date.now();
  const result = spawnSync(process.execPath, [path.join(modules, script), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  const ended = result.signal === null ? '' : `, ended by ${result.signal}`;
  console.log(`  ${title}: ${((Date.now() - started) / 1000).toFixed(1)} s${ended}`);
  return result.status === 0;
}

/** Runs one part; a process that dies without its counts is one failure. */
function runPart(name, files, countsFile) {
  const reporter = path.join(__dirname, 'reporter.js');
  process.env.DETSIM_TEST_COUNTS = countsFile;
  fs.rmSync(countsFile, { force: true });
  const title = name === '' ? 'test' : name === 'examples' ? name : `test/${name}`;
  const colour = process.stdout.isTTY ? [] : ['--no-color'];
  // A stuck test ends in the end; how fast a test must be is for the test to say.
  const args = ['--reporter', reporter, '--timeout=60000', ...colour, ...files];
  const passed = nodeTool(title, 'mocha/bin/mocha.js', args);
  if (fs.existsSync(countsFile)) return JSON.parse(fs.readFileSync(countsFile, 'utf8'));
  return { passes: 0, failures: passed ? 0 : 1, pending: 0 };
}

function main() {
  const wanted = process.argv.slice(2);
  install();
  console.log('> type check and build');
  build();
  const whole = wanted.length === 0;
  const total = { passes: 0, failures: 0, pending: 0 };
  const checks = [
    ['eslint', 'eslint/bin/eslint.js', ['.']],
    ['prettier', 'prettier/bin/prettier.cjs', ['--check', '--log-level=warn', '.']],
  ];
  for (const check of whole ? checks : []) total.failures += nodeTool(...check) ? 0 : 1;

  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-test-'));
  for (const [name, files] of parts(wanted)) {
    const counts = runPart(name, files, path.join(folder, 'counts.json'));
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  fs.rmSync(folder, { recursive: true, force: true });

  if (total.passes === 0) total.failures += 1;
  const skipped = total.pending > 0 ? `, ${total.pending} skipped` : '';
  console.log(`\n${total.passes} passed, ${total.failures} failed${skipped}`);
  process.exitCode = total.failures === 0 ? 0 : 1;
}

main();
