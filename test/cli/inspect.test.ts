/** A debugger stops in a replay at a step, and changes nothing: `detsim replay --inspect`. */

import fs from 'node:fs';
import type { Debugger } from 'node:inspector';
import { SourceMap, type SourceMapping } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { inspectionOf } from '../../cli/commands/break-place.js';
import { breakPlace } from '../../cli/values.js';
import { parseTrace } from '../../runtime/trace/read.js';
import { copyFixture, ended, runCli, startCli, type Ran } from './fixture.js';
import { InspectorClient } from './inspector-client.js';

const trace = path.join(__dirname, '../../../test/fixtures/trace/1.1-minimized.json');
const replay = ['replay', `--trace=${trace}`, '--no-check'];
const inspect = [...replay, '--inspect', '--inspect-port=0'];

describe('a replay under a debugger', function () {
  this.timeout(60_000);
  let folder: string;
  let plain: Ran;

  before(async () => {
    folder = copyFixture('lost-update');
    plain = await runCli(folder, ...replay);
    expect(plain.stdout).to.include('identical: 12 decisions, event for event');
  });

  it('stops at the n-th step of a line, shows what is there, and goes on as without', async () => {
    const { client, run, place } = await attach('--break=src/account.ts:11#2');
    const first = await client.paused;
    expect(place(first.callFrames[0])).to.equal('src/account.ts:12');
    expect(await valueOf(client, first, '[balance, amount]')).to.deep.equal([0, 1]);
    // From one await to the next: what runs in between is in the order of the schedule.
    const places: string[] = [];
    for (let i = 0; i < 4; i++) {
      const stopped = client.next<Debugger.PausedEventDataType>('Debugger.paused');
      await client.send('Debugger.stepOver');
      places.push(place((await stopped).callFrames[0]));
    }
    expect(places).to.include('src/account.ts:13');
    await client.send('Debugger.resume');
    const { status, stdout } = await run;
    expect([status, stdout]).to.deep.equal([plain.status, plain.stdout]);
  });

  it('stops at the number of a step, in the function that starts there', async () => {
    const { client, run, place } = await attach('--break=16');
    const { callFrames } = await client.paused;
    expect(callFrames[0].functionName).to.equal('audit');
    expect(place(callFrames[0])).to.equal('src/account.ts:16');
    expect(place(callFrames[1])).to.equal('src/account.ts:12');
    client.detach();
    expect((await run).stdout).to.equal(plain.stdout);
  });

  it('stops at the first step of the test when no place is given', async () => {
    const { client, run, place } = await attach();
    expect(place((await client.paused).callFrames[0])).to.equal('test/account.test.ts:24');
    await client.send('Debugger.resume');
    expect((await run).stdout).to.equal(plain.stdout);
  });

  it('knows before a debugger is asked for that a place is never reached', async () => {
    const run = parseTrace(fs.readFileSync(trace, 'utf8'), trace);
    const stepOf = (place: string): number =>
      inspectionOf({ inspect: true, break: breakPlace(place) }, run, process.cwd()).step;
    expect([stepOf('31'), stepOf('src/account.ts:11'), stepOf('./src/account.ts:11#2')]).to.eql([
      31, 15, 24,
    ]);
    expect(() => stepOf('src/account.ts:11#3')).to.throw('is at src/account.ts:11 2 times.');
    expect(() => stepOf('src/account.ts:14')).to.throw(
      'Those in src/account.ts are at lines 10, 11, 12, 13, 16.',
    );
    expect(() => stepOf('src/other.ts:1')).to.throw('None is in src/other.ts');
    expect(() => stepOf('src/account.ts')).to.throw('but it is "src/account.ts"');
    const { status, stdout, stderr } = await runCli(folder, ...inspect, '--break=99');
    expect([status, stdout]).to.deep.equal([2, '']);
    expect(stderr).to.include('--break=99 is never reached: the run has 31 steps.');
  });

  it('says that --break needs --inspect, and that a port is taken', async () => {
    const alone = await runCli(folder, ...replay, '--break=3');
    expect([alone.status, alone.stderr]).to.deep.equal([
      2,
      'detsim: --break needs --inspect, which runs the replay under the debugger. Add it.\n',
    ]);
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const { port } = server.address() as net.AddressInfo;
    const taken = await runCli(folder, ...replay, '--inspect', `--inspect-port=${port}`);
    server.close();
    expect(taken.status).to.equal(2);
    expect(taken.stderr).to.include(`The debugger cannot listen on port ${port} of 127.0.0.1`);
  });

  /** Starts a replay and attaches to it as an editor does. */
  async function attach(...args: string[]) {
    const child = startCli(folder, [...inspect, ...args]);
    const run = ended(child);
    const address = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.stderr!.on('data', (text: string) => {
        said += text;
        const found = /^Debugger listening on (ws:\S+)$/m.exec(said);
        if (found !== null) resolve(found[1]);
      });
      child.on('close', () => reject(new Error(said)));
    });
    const client = await InspectorClient.attach(address);
    const scripts = new Map<string, Debugger.ScriptParsedEventDataType>();
    client.on('Debugger.scriptParsed', (script: Debugger.ScriptParsedEventDataType) =>
      scripts.set(script.scriptId, script),
    );
    const paused = client.next<Debugger.PausedEventDataType>('Debugger.paused');
    await client.send('Runtime.enable');
    await client.send('Debugger.enable');
    await client.send('Debugger.setAsyncCallStackDepth', { maxDepth: 32 });
    await client.send('Runtime.runIfWaitingForDebugger');
    const place = ({ location }: Debugger.CallFrame): string =>
      originOf(scripts.get(location.scriptId)!, location, folder);
    return { client: Object.assign(client, { paused }), run, place };
  }
});

/** What a debugger shows: the position that the source map gives, in the file that it names. */
function originOf(
  { url, sourceMapURL }: Debugger.ScriptParsedEventDataType,
  { lineNumber, columnNumber }: Debugger.Location,
  folder: string,
): string {
  const mapFile = fileURLToPath(new URL(sourceMapURL!, url));
  const map = new SourceMap(
    JSON.parse(fs.readFileSync(mapFile, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
  );
  const { originalSource, originalLine } = map.findEntry(
    lineNumber,
    columnNumber ?? 0,
  ) as SourceMapping;
  const file = path.resolve(path.dirname(mapFile), originalSource);
  return `${path.relative(folder, file)}:${originalLine + 1}`;
}

async function valueOf(
  client: InspectorClient,
  { callFrames: [{ callFrameId }] }: Debugger.PausedEventDataType,
  expression: string,
): Promise<unknown> {
  const { result } = await client.send<Debugger.EvaluateOnCallFrameReturnType>(
    'Debugger.evaluateOnCallFrame',
    { callFrameId, expression, returnByValue: true },
  );
  return result.value;
}
