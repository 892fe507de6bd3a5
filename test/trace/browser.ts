/**
 * A headless chromium, driven by the DevTools protocol over two pipes: no port, no package.
 */

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser's executable, or undefined where there is none. */
export function findChromium(): string | undefined {
  const { DETSIM_CHROMIUM } = process.env;
  if (DETSIM_CHROMIUM !== undefined) return DETSIM_CHROMIUM;
  return NAMES.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: any;
  readonly sessionId?: string;
  readonly result?: any;
  readonly error?: { readonly message: string };
}

export class Browser {
  /** Problems that the page had: exceptions, errors on the console, requests. */
  readonly complaints: string[] = [];
  private readonly child: ChildProcess;
  private readonly profile = fs.mkdtempSync(path.join(os.tmpdir(), 'detsim-chromium-'));
  private readonly waiting = new Map<number, (message: Message) => void>();
  private readonly listeners: ((message: Message) => void)[] = [];
  private session: string | undefined;
  private last = 0;

  constructor(executable: string) {
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe'];
    const args = [...flags, '--no-first-run', `--user-data-dir=${this.profile}`, 'about:blank'];
    this.child = spawn(executable, args, {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    let text = '';
    (this.child.stdio[4] as Readable).setEncoding('utf8').on('data', (more: string) => {
      const parts = (text + more).split('\0');
      text = parts.pop()!;
      for (const part of parts) this.receive(JSON.parse(part) as Message);
    });
  }

  /** Opens a page and waits until it is ready. */
  async open(url: string, size: { width: number; height: number; dark: boolean }): Promise<void> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    this.session = sessionId as string;
    await this.send('Page.enable');
    await this.send('Runtime.enable');
    await this.send('Network.enable');
    await this.send('Emulation.setDeviceMetricsOverride', {
      width: size.width,
      height: size.height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await this.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: size.dark ? 'dark' : 'light' }],
    });
    const loaded = new Promise<void>((resolve) => {
      this.listeners.push(({ method }) => method === 'Page.loadEventFired' && resolve());
    });
    await this.send('Page.navigate', { url });
    await loaded;
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value as T;
  }

  /** Presses and releases a key: a character, or a name such as `ArrowLeft`. */
  async press(key: string, shift = false): Promise<void> {
    const event = { key, modifiers: shift ? 8 : 0, ...(key.length === 1 ? { text: key } : {}) };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  async mouse(type: 'Moved' | 'Pressed' | 'Released', x: number, y: number): Promise<void> {
    const button = type === 'Moved' ? {} : { button: 'left', clickCount: 1 };
    await this.send('Input.dispatchMouseEvent', { type: `mouse${type}`, x, y, ...button });
  }

  async screenshot(file: string): Promise<void> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    fs.writeFileSync(file, Buffer.from(data as string, 'base64'));
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('close', resolve));
    // Its processes write to the profile until they are told to end.
    this.session = undefined;
    this.send('Browser.close').catch(() => undefined);
    const late = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(late);
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  private send(method: string, params: object = {}): Promise<any> {
    const id = ++this.last;
    const message = { id, method, params, ...(this.session && { sessionId: this.session }) };
    (this.child.stdio[3] as Writable).write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(`${method}: ${error.message}`));
      });
    });
  }

  private receive(message: Message): void {
    if (message.id !== undefined) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
      return;
    }
    const { method, params } = message;
    if (method === 'Runtime.exceptionThrown') {
      this.complaints.push(JSON.stringify(params.exceptionDetails));
    }
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
      this.complaints.push(JSON.stringify(params.args));
    }
    if (method === 'Network.requestWillBeSent' && !params.request.url.startsWith('file:')) {
      this.complaints.push(`request: ${params.request.url}`);
    }
    for (const listen of this.listeners) listen(message);
  }
}
