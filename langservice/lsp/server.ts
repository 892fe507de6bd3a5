/**
 * A language server that says what the tsserver plugin says, for editors whose TypeScript loads no
 * plugins: diagnostics while one types, hover, and quick fixes.
 */

import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import {
  createConnection,
  CodeActionKind,
  DiagnosticSeverity,
  MarkupKind,
  TextDocuments,
  TextDocumentSyncKind,
  StreamMessageReader,
  StreamMessageWriter,
  type CodeAction,
  type Connection,
  type Diagnostic,
  type Hover,
  type Position,
  type Range,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { docsUrl, findingsOf, type Finding } from '../findings.js';
import { fixesFor } from '../fixes.js';
import { hoverAt } from '../hover.js';
import { ownPart } from '../own-part.js';
import { Projects, type OpenFile } from './projects.js';

/** Between the last keystroke and the diagnostics, in ms. */
const PAUSE_MS = 200;

/** Serves one client on two streams, until it says goodbye or the input ends. */
export class LanguageServer {
  private readonly connection: Connection;
  private readonly documents = new TextDocuments(TextDocument);
  private readonly projects: Projects;
  private readonly pending = new Map<string, NodeJS.Timeout>();

  constructor(
    input: NodeJS.ReadableStream,
    output: NodeJS.WritableStream,
    private readonly version: string,
  ) {
    this.connection = createConnection(
      new StreamMessageReader(input),
      new StreamMessageWriter(output),
    );
    this.projects = new Projects(this.log, () => this.refreshAll());
    this.serve();
  }

  private readonly log = (message: string): void => this.connection.console.error(message);

  private serve(): void {
    const { connection, documents, projects } = this;
    connection.onInitialize(() => ({
      capabilities: {
        textDocumentSync: TextDocumentSyncKind.Incremental,
        hoverProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
      },
      serverInfo: { name: 'detsim', version: this.version },
    }));
    documents.onDidOpen(({ document }) => {
      const path = pathOf(document.uri);
      if (path === undefined) return;
      this.own('opening a file', () => projects.open(path, document.getText()));
      this.refresh(document.uri);
    });
    documents.onDidChangeContent(({ document }) => {
      const path = pathOf(document.uri);
      if (path === undefined) return;
      this.own('taking an edit over', () => projects.update(path, document.getText()));
      // What is said about a file may depend on any other.
      this.refreshAll();
    });
    documents.onDidSave(() => this.refreshAll());
    documents.onDidClose(({ document }) => {
      const path = pathOf(document.uri);
      if (path === undefined) return;
      this.own('closing a file', () => projects.close(path));
      clearTimeout(this.pending.get(document.uri));
      this.pending.delete(document.uri);
      void connection.sendDiagnostics({ uri: document.uri, diagnostics: [] });
      this.refreshAll();
    });
    connection.onHover(({ textDocument, position }) => this.hover(textDocument.uri, position));
    connection.onCodeAction(({ textDocument, range }) => this.actions(textDocument.uri, range));
    documents.listen(connection);
    connection.listen();
  }

  private refreshAll(): void {
    for (const { uri } of this.documents.all()) this.refresh(uri);
  }

  /** Sends the diagnostics of a file once nothing has changed for a moment. */
  private refresh(uri: string): void {
    clearTimeout(this.pending.get(uri));
    const send = (): void => {
      this.pending.delete(uri);
      const document = this.documents.get(uri);
      if (document === undefined) return;
      const { version } = document;
      const diagnostics = this.findings(uri).map((one) => diagnostic(document, one));
      void this.connection.sendDiagnostics({ uri, version, diagnostics });
    };
    this.pending.set(uri, setTimeout(send, PAUSE_MS));
  }

  private hover(uri: string, position: Position): Hover | null {
    const document = this.documents.get(uri);
    const found = document && this.openFile(uri);
    if (document === undefined || found === undefined) return null;
    const hover = this.own('hovering', () =>
      hoverAt(ts, found.program, found.file, document.offsetAt(position)),
    );
    if (hover === undefined) return null;
    const contents = { kind: MarkupKind.Markdown, value: hover.markdown };
    return { contents, range: rangeOf(document, hover) };
  }

  private actions(uri: string, range: Range): CodeAction[] {
    const document = this.documents.get(uri);
    const found = document && this.openFile(uri);
    if (document === undefined || found === undefined) return [];
    const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)];
    return this.findings(uri)
      .filter((one) => one.start <= end && start <= one.end)
      .flatMap((one) => this.actionsFor(document, found.file, one));
  }

  private actionsFor(document: TextDocument, file: ts.SourceFile, finding: Finding): CodeAction[] {
    const fixes = this.own('offering fixes', () => fixesFor(ts, file, finding)) ?? [];
    return fixes.map(({ title, preferred, edits }) => ({
      title,
      kind: CodeActionKind.QuickFix,
      isPreferred: preferred,
      diagnostics: [diagnostic(document, finding)],
      edit: {
        changes: {
          [document.uri]: edits.map((edit) => ({
            range: rangeOf(document, edit),
            newText: edit.text,
          })),
        },
      },
    }));
  }

  private findings(uri: string): readonly Finding[] {
    const found = this.openFile(uri);
    if (found === undefined) return [];
    const find = (): readonly Finding[] => findingsOf(ts, found.program, found.file);
    return this.own('finding what cannot be intercepted', find) ?? [];
  }

  private openFile(uri: string): OpenFile | undefined {
    const path = pathOf(uri);
    return path === undefined
      ? undefined
      : this.own('reading the project', () => this.projects.get(path));
  }

  private own<T>(what: string, part: () => T): T | undefined {
    return ownPart(ts, this.log, what, part);
  }
}

/** Only files have a project: what an editor has not given a name yet is left alone. */
function pathOf(uri: string): string | undefined {
  return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
}

function rangeOf(
  document: TextDocument,
  { start, end }: { readonly start: number; readonly end: number },
): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

function diagnostic(document: TextDocument, finding: Finding): Diagnostic {
  const { rule, message } = finding;
  return {
    range: rangeOf(document, finding),
    severity: rule.severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code: rule.code,
    codeDescription: { href: docsUrl(rule.code) },
    source: 'detsim',
    message,
  };
}
