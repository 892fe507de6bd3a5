/**
 * The page of `detsim report`, of a real sweep, in a real browser: what is on it, light and dark,
 * and that it loads nothing.
 */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { copyFixture, runCli } from '../cli/fixture.js';
import { Browser, findChromium } from '../trace/browser.js';

describe('the page of a sweep', function () {
  this.timeout(60_000);
  const chromium = findChromium();
  let folder: string;

  before(async () => {
    folder = copyFixture('lost-update');
    const swept = await runCli(folder, 'sweep', '--no-check', '--trials=400');
    expect(swept.status, swept.stderr).to.equal(1);
  });

  it('is written where it is asked for, and needs a sweep', async () => {
    const written = await runCli(folder, 'report');
    expect(written).to.include({ status: 0, stdout: '.detsim/report.html\n' });
    const elsewhere = await runCli(folder, 'report', '--out=out/page.html');
    expect(elsewhere.stdout).to.equal('out/page.html\n');
    const none = await runCli(copyFixture('late'), 'report');
    expect(none.status).to.equal(2);
    expect(none.stderr).to.match(/No sweep has been made in .* Run `detsim sweep` first/);
  });

  for (const dark of [false, true]) {
    it(`shows what was found, ${dark ? 'dark' : 'light'}`, async function () {
      if (chromium === undefined) this.skip();
      const browser = new Browser(chromium);
      try {
        const page = path.join(folder, '.detsim/report.html');
        await browser.open(`file://${page}`, { width: 1100, height: 900, dark });
        const text = await browser.evaluate<string>('document.body.innerText');
        expect(text).to.match(/account keeps every deposit\s*rung stubs/);
        expect(text).to.include('const balance = await this.store.read();');
        expect(text).to.include(
          'It fails when A comes before B, and passes when B comes before A.',
        );
        expect(text).to.include('DETSIM_REPLAY="stubs;src/account.ts:11:21');
        expect(text).to.match(/400\/400|\d+\/400\s*trials passed/);
        const plots = await browser.evaluate<number[]>(
          `[...document.querySelectorAll('svg')].map((svg) => svg.getBoundingClientRect().height)`,
        );
        expect(plots).to.have.length(3);
        for (const height of plots) expect(height).to.be.above(80);
        const overflow = await browser.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow).to.equal(0);
        const back = await browser.evaluate<string>(
          'getComputedStyle(document.body).backgroundColor',
        );
        expect(back).to.equal(dark ? 'rgb(17, 21, 28)' : 'rgb(255, 255, 255)');
        expect(browser.complaints).to.deep.equal([]);
        const { DETSIM_SCREENSHOTS: shots } = process.env;
        if (shots !== undefined) {
          await browser.screenshot(path.join(shots, `report-${dark ? 'dark' : 'light'}.png`));
        }
      } finally {
        await browser.close();
      }
    });
  }

  it('draws each strategy with its trials, and curves that end where the sweep did', () => {
    const page = fs.readFileSync(path.join(folder, '.detsim/report.html'), 'utf8');
    for (const name of ['random', 'delay-bounded', 'pct', 'pos', 'surw', 'plain Node']) {
      expect(page).to.include(`>${name}</text>`);
    }
    const last = JSON.parse(
      fs.readFileSync(path.join(folder, '.detsim/last-report.json'), 'utf8'),
    ) as { shapes: number; histories: Record<string, { growth: [number, number][] }> };
    const [{ growth }] = Object.values(last.histories);
    expect(growth.at(-1)).to.deep.equal([400, last.shapes]);
    for (const [i, [, orders]] of growth.entries()) {
      expect(orders).to.be.at.least(growth[i - 1]?.[1] ?? 1);
    }
  });
});
