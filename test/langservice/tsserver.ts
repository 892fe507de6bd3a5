/**
 * A real tsserver, driven over its protocol as an editor does: requests are lines of JSON, answers
 * have a length before them.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type ts from 'typescript';

type Protocol = typeof ts.server.protocol;
export type Diagnostic = ts.server.protocol.Diagnostic & { readonly reportsUnnecessary?: boolean };
export type CodeFix = ts.server.protocol.CodeFixAction;
export type QuickInfo = ts.server.protocol.QuickInfoResponseBody;

interface Answer {
  readonly type: keyof Protocol;
  readonly request_seq: number;
  readonly success: boolean;
  readonly message?: string;
  readonly body?: unknown;
  readonly event?: string;
}

interface Waiting {
  readonly resolve: (body: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A position as the protocol has it, counted from 1. */
export interface Place {
  readonly line: number;
  readonly offset: number;
}

export class TsServer {
  private readonly child: ChildProcess;
  private readonly waiting = new Map<number, Waiting>();
  private readonly logFile: string;
  private seq = 0;
  private received = Buffer.alloc(0);
  /** Names of the events that came. */
  readonly events: { readonly event: string; readonly body: unknown }[] = [];

  /**
   * @param folder of the project
   * @param typescript folder of the package whose tsserver runs; plugins are looked up beside it
   * @param nodeFlags flags of Node itself
   */
  constructor(
    private readonly folder: string,
    typescript: string,
    nodeFlags: readonly string[] = [],
  ) {
    this.logFile = path.join(folder, 'tsserver.log');
    const args = [
      ...nodeFlags,
      path.join(typescript, 'lib/tsserver.js'),
      '--disableAutomaticTypingAcquisition',
      '--suppressDiagnosticEvents',
      ...['--logVerbosity', 'normal', '--logFile', this.logFile],
    ];
    this.child = spawn(process.execPath, args, { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'] });
    this.child.stdout!.on('data', (chunk: Buffer) => this.receive(chunk));
    this.child.on('exit', (code) => {
      for (const { reject } of this.waiting.values()) reject(new Error(`tsserver ended: ${code}`));
    });
  }

  /** The process. */
  get pid(): number {
    return this.child.pid!;
  }

  /** Sends a request, and gives the body of its answer. */
  request(command: string, args: object): Promise<unknown> {
    const seq = ++this.seq;
    return new Promise((resolve, reject) => {
      this.waiting.set(seq, { resolve, reject });
      this.send(seq, command, args);
    });
  }

  /** Opens a file of the project in the editor. @param text what the editor holds, if not saved */
  open(file: string, text?: string): void {
    this.send(++this.seq, 'open', { file: this.path(file), fileContent: text });
  }

  close(file: string): void {
    this.send(++this.seq, 'close', { file: this.path(file) });
  }

  /** Puts `text` in place of all that an open file holds. */
  replace(file: string, text: string): void {
    this.close(file);
    this.open(file, text);
  }

  /** Types `text` in place of what stands between two positions. */
  edit(file: string, start: Place, end: Place, text: string): void {
    const textChanges = [{ start, end, newText: text }];
    this.send(++this.seq, 'updateOpen', {
      changedFiles: [{ fileName: this.path(file), textChanges }],
    });
  }

  /** What the compiler cannot read in a file. */
  async syntaxErrors(file: string): Promise<Diagnostic[]> {
    const args = { file: this.path(file) };
    return (await this.request('syntacticDiagnosticsSync', args)) as Diagnostic[];
  }

  /** What the compiler and its plugins have to say about a file that can be read. */
  async diagnostics(file: string): Promise<Diagnostic[]> {
    const args = { file: this.path(file) };
    return (await this.request('semanticDiagnosticsSync', args)) as Diagnostic[];
  }

  async hover(file: string, { line, offset }: Place): Promise<QuickInfo | undefined> {
    const args = { file: this.path(file), line, offset };
    try {
      return (await this.request('quickinfo', args)) as QuickInfo;
    } catch (error) {
      if ((error as Error).message === 'No content available.') return undefined;
      throw error;
    }
  }

  /** The quick fixes that an editor offers for a diagnostic. */
  async fixes(file: string, diagnostic: Diagnostic): Promise<CodeFix[]> {
    const { start, end, code } = diagnostic;
    const span = {
      ...{ startLine: start.line, startOffset: start.offset },
      ...{ endLine: end.line, endOffset: end.offset },
    };
    const args = { file: this.path(file), ...span, errorCodes: [code!] };
    return (await this.request('getCodeFixes', args)) as CodeFix[];
  }

  log(): string {
    return fs.readFileSync(this.logFile, 'utf8');
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.on('exit', resolve));
    this.send(++this.seq, 'exit', {});
    await ended;
  }

  private path(file: string): string {
    return path.join(this.folder, file);
  }

  private send(seq: number, command: string, args: object): void {
    const message = { seq, type: 'request', command, arguments: args };
    this.child.stdin!.write(`${JSON.stringify(message)}\n`);
  }

  private receive(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    for (;;) {
      const head = /Content-Length: (\d+)\r?\n\r?\n/.exec(this.received.toString('latin1'));
      if (head === null) return;
      const start = head.index + head[0].length;
      const end = start + Number(head[1]);
      if (this.received.length < end) return;
      this.answer(JSON.parse(this.received.toString('utf8', start, end)) as Answer);
      this.received = this.received.subarray(end);
    }
  }

  private answer(answer: Answer): void {
    if (answer.event !== undefined) {
      this.events.push({ event: answer.event, body: answer.body });
      return;
    }
    const waiting = this.waiting.get(answer.request_seq);
    this.waiting.delete(answer.request_seq);
    if (answer.success) waiting?.resolve(answer.body);
    else waiting?.reject(new Error(answer.message));
  }
}

/** The documentation part of an answer, as one text. */
export function documentationOf(info: QuickInfo | undefined): string | undefined {
  if (info === undefined) return undefined;
  const { documentation } = info;
  return typeof documentation === 'string'
    ? documentation
    : documentation.map(({ text }) => text).join('');
}

/** A text with the edits of a code fix put in; edits of other files are left out. */
export function applied(text: string, file: string, fix: CodeFix): string {
  const lines = lineStarts(text);
  const at = ({ line, offset }: Place): number => lines[line - 1]! + offset - 1;
  const changes = fix.changes.filter((one) => one.fileName.endsWith(`/${file}`));
  const edits = changes.flatMap((one) => one.textChanges);
  edits.sort((a, b) => at(b.start) - at(a.start));
  let result = text;
  for (const { start, end, newText } of edits) {
    result = result.slice(0, at(start)) + newText + result.slice(at(end));
  }
  return result;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|\n|\r/g)].map((match) => match.index + match[0].length)];
}
