/** What an editor shows over an `await`: the site, and what the last sweep saw there. */

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { makeProject, packageFolder, placeOf } from './project.js';
import { documentationOf, TsServer } from './tsserver.js';

const SOURCE = `
export async function load(key: string): Promise<string> {
  return key;
}

export async function both(): Promise<string> {
  const first = await load('a');
  const second = await load('b');
  const third = await load('a');
  for await (const one of [first, second]) console.log(one);
  return first + second + third;
}
`;

const site = (place: string, text: string, overtaken: number, failing: number): object => ({
  ...{ position: `src/both.ts:${place}`, kind: 'await', fn: 'both', text, overtaken, failing },
});

/** Positions are those of an earlier text, one line up; two test files come to the first site. */
const SWEPT = {
  format: 'detsim-sweep',
  version: 1,
  files: [
    {
      file: 'test/a.test.ts',
      trials: 1500,
      sites: [
        site('6:17', "load('a')", 200, 3),
        site('7:18', "load('b')", 0, 0),
        site('8:17', "load('a')", 1, 0),
      ],
    },
    { file: 'test/b.test.ts', trials: 500, sites: [site('6:17', "load('a')", 14, 0)] },
  ],
};

describe('editor: hover on an await', function () {
  this.timeout(60_000);
  let folder: string;
  let server: TsServer;
  const sweep = (): string => path.join(folder, '.detsim', 'last-sweep.json');
  const hover = async (piece: string): Promise<string | undefined> =>
    documentationOf(await server.hover('src/both.ts', placeOf(SOURCE, piece)));

  before(() => {
    folder = makeProject({ 'src/both.ts': SOURCE });
    server = new TsServer(folder, packageFolder('typescript'));
    server.open('src/both.ts');
  });
  after(() => server.stop());

  it('names the site', async () => {
    expect(await hover("await load('a')")).to.equal(
      'detsim: a yield point, `src/both.ts:7:17` in `both`.',
    );
    expect(await hover('await (const')).to.equal(
      'detsim: a yield point at each turn, `src/both.ts:10:3` in `both`.',
    );
  });

  it('says what the last sweep saw, as soon as there is one', async () => {
    fs.mkdirSync(path.dirname(sweep()));
    fs.writeFileSync(sweep(), JSON.stringify(SWEPT));
    expect(await hover("await load('a')")).to.equal(
      'detsim: a yield point, `src/both.ts:7:17` in `both`. ' +
        'Last sweep: overtaken in 214 of 2,000 trials; failing in 3.',
    );
    expect(await hover("await load('b')")).to.include('never overtaken in 1,500 trials.');
    expect(await hover("await load('a');\n  for")).to.include('overtaken in 1 of 1,500 trials.');
    expect(await hover('await (const')).to.include('The last sweep did not come here.');
  });

  it('has no word of a sweep whose file is broken', async () => {
    fs.writeFileSync(sweep(), '{ "version": 1, "files');
    fs.utimesSync(sweep(), 1, 1);
    expect(await hover("await load('a')")).to.match(/in `both`\.$/);
  });

  it('adds nothing elsewhere', async () => {
    expect(await hover('first =')).to.equal('');
    expect(server.log()).to.include('Plugin validation succeeded');
    expect(server.log()).to.not.include('detsim: ');
  });
});
