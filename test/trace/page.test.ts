/**
 * The page of `detsim trace html`, in a real browser: it loads without network, and keys, mouse and
 * search do what they say, with few events and with ten thousand.
 */

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { noColors } from '../../cli/report/style.js';
import { formatHtml } from '../../cli/trace/html.js';
import { TraceWords } from '../../cli/trace/words.js';
import type { Trace, TraceEvent } from '../../runtime/trace/format.js';
import { parseTrace } from '../../runtime/trace/read.js';
import { Browser, findChromium } from './browser.js';

const root = path.join(__dirname, '..', '..', '..');
const project = path.join(root, 'test', 'fixtures', 'cli', 'lost-update');
const light = { width: 1200, height: 700, dark: false };

function recorded(): Trace {
  const file = path.join(root, 'test', 'fixtures', 'trace', '1.1-minimized.json');
  return parseTrace(fs.readFileSync(file, 'utf8'), file);
}

/** A hundred tasks that wake each other in turn. */
function longTrace(steps: number): Trace {
  const events = Array.from({ length: steps }, (_, i): TraceEvent => {
    const task = i % 100;
    const step = { at: Math.floor(i / 3) * 1e5, task, site: 0, frame: task, then: 0 };
    return i < 100 ? { type: 'start', ...step } : { type: 'resume', ...step, by: i - 1 };
  });
  const tasks = Array.from({ length: 100 }, (_, i) => ({ scope: 't', path: `worker.${i + 1}` }));
  return {
    ...{ format: 'detsim-trace', version: 1, minor: 1, file: 'a.test.ts', test: 't', seed: '7' },
    outcome: { state: 'passed' },
    sites: [{ position: 'a.ts:3:5', kind: 'await', fn: 'work', text: '</script><b>"x"' }],
    tasks,
    frames: tasks.map((_, task) => ({ site: 0, task })),
    events,
  };
}

describe('trace html', function () {
  this.timeout(60_000);
  const chromium = findChromium();
  let folder: string;
  let browser: Browser;

  before(function () {
    if (chromium === undefined) this.skip();
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-page-'));
    browser = new Browser(chromium);
  });
  after(async () => {
    await browser?.close();
    if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
  });

  async function open(trace: Trace, size = light): Promise<void> {
    const file = path.join(folder, 'page.html');
    fs.writeFileSync(file, formatHtml(new TraceWords(trace, noColors), project));
    await browser.open(`file://${file}`, size);
    expect(await browser.evaluate('document.body.dataset.ready')).to.equal('true');
  }

  const details = (): Promise<string> =>
    browser.evaluate<string>('document.getElementById("details").innerText');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await browser.press(key);
  };

  it('begins with the failure and its deviations, and goes from step to step', async () => {
    await open(recorded());
    expect(await details())
      .to.include('assertion: 1 == 3')
      .and.include('will go on 8 ms late');
    await press('d');
    expect(await details()).to.match(/^#4 Account\.deposit#1\n/);
    expect(await details()).to.include('const balance = await this.store.read();');
    await browser.press('ArrowRight', true);
    expect(await details())
      .to.match(/^#24 Account\.deposit#1\n/)
      .and.include('8 ms');
    await press('Escape', 'ArrowLeft');
    expect(await details())
      .to.match(/^#31 the test/)
      .and.include('Woken by\n#27 Account.deposit#1');
    await press('ArrowUp');
    expect(await details())
      .to.match(/^#27 Account\.deposit#1/)
      .and.include('Wakes\n#30');
    expect(await details()).to.include('Stack\nAccount.deposit src/account.ts:12');
  });

  it('selects what is clicked, and tells of what the mouse is over', async () => {
    await open(recorded());
    const top = await browser.evaluate<number>(
      'document.getElementById("lanes").getBoundingClientRect().top',
    );
    const [x, y] = [210 + 12, top + 24 + 13];
    await browser.mouse('Moved', x, y);
    const tip = await browser.evaluate<string>('document.getElementById("tip").innerText');
    expect(tip).to.match(/^#1 the test\nstarts /);
    await browser.mouse('Pressed', x, y);
    await browser.mouse('Released', x, y);
    expect(await details()).to.match(/^#1 the test/);
  });

  it('follows the theme of the system', async () => {
    const backOf = async (dark: boolean): Promise<string> => {
      await open(recorded(), { ...light, dark });
      return browser.evaluate<string>(
        'String(document.getElementById("lanes").getContext("2d").getImageData(200, 500, 1, 1).data.slice(0, 3))',
      );
    };
    expect(await backOf(false)).to.equal('255,255,255');
    expect(await backOf(true)).to.equal('17,21,28');
  });

  it('holds ten thousand steps: search, zoom and steps still work', async () => {
    await open(longTrace(10_000));
    await press('/', ...'worker#42', 'Enter');
    expect(await browser.evaluate('document.getElementById("count").innerText')).to.equal(
      '100 found',
    );
    expect(await details()).to.match(/^#42 worker#42\n/);
    await press('Enter');
    expect(await details())
      .to.match(/^#142 worker#42\n/)
      .and.include('</script><b>"x"');
    await press('Escape', '0', '+', '+', 'ArrowRight', 'ArrowUp');
    expect(await details()).to.match(/^#142 worker#42\n/);
    const drawn = await browser.evaluate<number>(`(() => {
      const { data } = document.getElementById('lanes').getContext('2d').getImageData(210, 24, 500, 400);
      return new Set(new Uint32Array(data.buffer)).size;
    })()`);
    expect(drawn).to.be.above(8);
  });

  it('has asked for nothing and complained of nothing', () => {
    expect(browser.complaints).to.deep.equal([]);
  });
});
