/**
 * The projects of the open files, kept by TypeScript's own project service: it finds the tsconfig
 * of a file, follows references, watches the disk, and knows what the editor has not saved yet.
 *
 * It is TypeScript's part of tsserver without the protocol, taken from detsim's own copy, so that
 * it works whatever version of TypeScript the project has. Plugins of the project are not loaded.
 */

import ts from 'typescript';
import type { Log } from '../own-part.js';

/** A file with the program that it belongs to. */
export interface OpenFile {
  readonly program: ts.Program;
  readonly file: ts.SourceFile;
}

export class Projects {
  private readonly service: ts.server.ProjectService;

  /** @param changed called when what is on the disk has changed a project */
  constructor(log: Log, changed: () => void) {
    this.service = new ts.server.ProjectService({
      host: serverHost(),
      logger: loggerTo(log),
      cancellationToken: ts.server.nullCancellationToken,
      useSingleInferredProject: false,
      useInferredProjectPerProjectRoot: true,
      suppressDiagnosticEvents: true,
      session: undefined,
      eventHandler: ({ eventName }) => {
        if (eventName === ts.server.ProjectsUpdatedInBackgroundEvent) changed();
      },
    });
  }

  open(path: string, text: string): void {
    this.service.openClientFile(path, text);
  }

  /** Takes over the text of an open file; what is the same at both ends need not be parsed anew. */
  update(path: string, text: string): void {
    const info = this.service.getScriptInfo(path);
    if (info === undefined) return;
    const snapshot = info.getSnapshot();
    const before = snapshot.getText(0, snapshot.getLength());
    const shorter = Math.min(before.length, text.length);
    let start = 0;
    while (start < shorter && before[start] === text[start]) start++;
    let kept = 0;
    const least = shorter - start;
    while (kept < least && before.at(-1 - kept) === text.at(-1 - kept)) kept++;
    if (start + kept === before.length && before.length === text.length) return;
    info.editContent(start, before.length - kept, text.slice(start, text.length - kept));
  }

  close(path: string): void {
    this.service.closeClientFile(path);
  }

  /** An open file as it is now. */
  get(path: string): OpenFile | undefined {
    const name = ts.server.toNormalizedPath(path);
    const project = this.service.getDefaultProjectForFile(name, true);
    const program = project?.getLanguageService().getProgram();
    const file = program?.getSourceFile(name);
    return program && file && { program, file };
  }
}

function serverHost(): ts.server.ServerHost {
  const { sys } = ts;
  if (sys.watchFile === undefined || sys.watchDirectory === undefined) {
    throw new Error('TypeScript cannot watch files on this system.');
  }
  return {
    ...sys,
    watchFile: sys.watchFile.bind(sys),
    watchDirectory: sys.watchDirectory.bind(sys),
    setTimeout,
    clearTimeout,
    setImmediate,
    clearImmediate,
  };
}

/** Only errors are of interest: what the service tells about its work is plenty. */
function loggerTo(log: Log): ts.server.Logger {
  return {
    close: () => undefined,
    hasLevel: () => false,
    loggingEnabled: () => false,
    perftrc: () => undefined,
    info: () => undefined,
    startGroup: () => undefined,
    endGroup: () => undefined,
    getLogFileName: () => undefined,
    msg: (text, type) => {
      if (type === ts.server.Msg.Err) log(text);
    },
  };
}
