/** A client of `detsim lsp`, as an editor is one: over standard input and output. */

import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type CodeAction,
  type Diagnostic,
  type Hover,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type Range,
} from 'vscode-languageserver/node';
import { packageRoot } from './project.js';

export class LspClient {
  readonly child: ChildProcess;
  private readonly connection: ProtocolConnection;
  private readonly versions = new Map<string, number>();
  private readonly published: PublishDiagnosticsParams[] = [];
  private arrived: () => void = () => undefined;
  /** What the server has logged. */
  readonly logged: string[] = [];

  constructor(private readonly folder: string) {
    const bin = path.join(packageRoot, 'dist/cli/bin.js');
    this.child = spawn(process.execPath, [bin, 'lsp', '--stdio'], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.child.stdout!),
      new StreamMessageWriter(this.child.stdin!),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', (params) => {
      this.published.push(params as PublishDiagnosticsParams);
      this.arrived();
    });
    this.connection.onNotification('window/logMessage', ({ message }: { message: string }) => {
      this.logged.push(message);
    });
    this.connection.listen();
  }

  async initialize(): Promise<InitializeResult> {
    const rootUri = pathToFileURL(this.folder).href;
    const params = { processId: process.pid, rootUri, capabilities: {} };
    const answer = await this.connection.sendRequest<InitializeResult>('initialize', params);
    await this.connection.sendNotification('initialized', {});
    return answer;
  }

  open(file: string, text: string): Promise<void> {
    const uri = this.uri(file);
    this.versions.set(uri, 1);
    const textDocument = { uri, languageId: 'typescript', version: 1, text };
    return this.connection.sendNotification('textDocument/didOpen', { textDocument });
  }

  /** Types `text` in place of what stands in a range. */
  change(file: string, range: Range, text: string): Promise<void> {
    const uri = this.uri(file);
    const version = this.versions.get(uri)! + 1;
    this.versions.set(uri, version);
    return this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [{ range, text }],
    });
  }

  save(file: string): Promise<void> {
    const textDocument = { uri: this.uri(file) };
    return this.connection.sendNotification('textDocument/didSave', { textDocument });
  }

  close(file: string): Promise<void> {
    const textDocument = { uri: this.uri(file) };
    return this.connection.sendNotification('textDocument/didClose', { textDocument });
  }

  /** The next diagnostics of a file that are of its present version. */
  async diagnostics(file: string): Promise<Diagnostic[]> {
    const uri = this.uri(file);
    for (;;) {
      const at = this.published.findIndex(
        (one) => one.uri === uri && (one.version ?? Infinity) >= this.versions.get(uri)!,
      );
      if (at >= 0) {
        const [{ diagnostics }] = this.published.splice(0, at + 1).slice(-1) as [
          PublishDiagnosticsParams,
        ];
        return diagnostics;
      }
      await new Promise<void>((resolve) => (this.arrived = resolve));
    }
  }

  hover(file: string, position: Position): Promise<Hover | null> {
    const textDocument = { uri: this.uri(file) };
    return this.connection.sendRequest('textDocument/hover', { textDocument, position });
  }

  actions(file: string, range: Range, diagnostics: Diagnostic[]): Promise<CodeAction[]> {
    const textDocument = { uri: this.uri(file) };
    const params = { textDocument, range, context: { diagnostics } };
    return this.connection.sendRequest('textDocument/codeAction', params);
  }

  /** Says goodbye. @returns the exit status of the server */
  async stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => this.child.once('exit', resolve));
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    return ended;
  }

  uri(file: string): string {
    return pathToFileURL(path.join(this.folder, file)).href;
  }
}
