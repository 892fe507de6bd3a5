/**
 * One connection: the messages of a client, one after the other, and the waiting in between.
 */

import type { Socket } from 'node:net';
import type { Database } from './engine/database.js';
import { deadlockError, deadlockOf, type Steps, type Wait } from './engine/wait.js';
import { fatal, SqlError, unsupported } from './errors.js';
import { outputText } from './functions/output.js';
import { parse } from './parser.js';
import * as wire from './protocol.js';
import { Session } from './session/session.js';
import { execute, prepare, type Prepared, type Result } from './session/execute.js';
import { type Run, type OutputColumn } from './sql/expr.js';
import type { Type } from './types/type.js';
import * as t from './types/types.js';

interface Portal {
  readonly prepared: Prepared;
  readonly params: readonly any[];
  readonly formats: readonly number[];
  result?: Result;
  /** Rows that were sent. */
  sent: number;
}

const PROTOCOL_3 = 196_608;
const CANCEL = 80_877_102;
const SSL = 80_877_103;
const GSS = 80_877_104;

export class Connection {
  private readonly reader = new wire.MessageReader();
  private readonly queue: wire.Message[] = [];
  private readonly statements = new Map<string, Prepared>();
  private readonly portals = new Map<string, Portal>();
  private output: Buffer[] = [];
  private session: Session | undefined = undefined;
  private busy = false;
  private skipping = false;
  private closed = false;
  /** Makes the statement that waits fail, if one does. */
  private interrupt: ((error: SqlError) => void) | undefined = undefined;
  private idleTimer: NodeJS.Timeout | undefined = undefined;

  constructor(
    private readonly socket: Socket,
    private readonly db: Database,
    private readonly secret: number,
  ) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => this.end());
    socket.on('close', () => this.end());
    socket.setNoDelay(true);
  }

  private receive(chunk: Buffer): void {
    try {
      this.queue.push(...this.reader.push(chunk));
    } catch (error) {
      this.die(error as SqlError);
      return;
    }
    this.pump();
    this.db.settle();
  }

  private pump(): void {
    while (!this.busy && !this.closed && this.queue.length > 0) {
      clearTimeout(this.idleTimer);
      this.drive(this.handle(this.queue.shift()!));
    }
    if (!this.busy) this.flush();
  }

  private flush(): void {
    if (this.output.length > 0 && !this.socket.destroyed)
      this.socket.write(Buffer.concat(this.output));
    this.output = [];
  }

  private send(...messages: Buffer[]): void {
    this.output.push(...messages);
  }

  // Waiting

  private drive(steps: Steps<void>): void {
    this.busy = true;
    this.advance(steps, () => steps.next());
  }

  private advance(steps: Steps<void>, resume: () => IteratorResult<Wait, void>): void {
    const step = resume();
    if (step.done) {
      this.busy = false;
      return;
    }
    this.wait(steps, step.value);
  }

  private wait(steps: Steps<void>, wait: Wait): void {
    const session = this.session!;
    const timers: NodeJS.Timeout[] = [];
    const proceed = (resume: () => IteratorResult<Wait, void>) => {
      leave();
      timers.forEach(clearTimeout);
      session.waiting = undefined;
      this.interrupt = undefined;
      this.advance(steps, resume);
      this.pump();
      this.db.settle();
    };
    const leave = this.db.wait(wait, () => proceed(() => steps.next()));
    const after = (ms: number, act: () => void) => timers.push(setTimeout(act, ms));
    session.waiting = wait;
    this.interrupt = (error) => proceed(() => steps.throw(error));
    const interrupt = this.interrupt;
    if (wait.sleep !== undefined) after(wait.sleep / 1000, () => proceed(() => steps.next()));
    else {
      after(session.settings.milliseconds('deadlock_timeout'), () => {
        const cycle = deadlockOf(session);
        if (cycle !== undefined) interrupt(deadlockError(cycle));
      });
      const limit = session.settings.milliseconds('lock_timeout');
      if (limit > 0) {
        after(limit, () =>
          interrupt(
            new SqlError('55P03', 'canceling statement due to lock timeout', { where: wait.where }),
          ),
        );
      }
    }
    this.flush();
  }

  cancel(): void {
    this.interrupt?.(new SqlError('57014', 'canceling statement due to user request'));
  }

  terminate(message = 'terminating connection due to administrator command', code = '57P01'): void {
    const error = fatal(code, message);
    if (this.interrupt !== undefined) this.interrupt(error);
    else this.die(error);
  }

  private die(error: SqlError): void {
    this.sendError(error);
    this.flush();
    this.socket.end();
    this.end();
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    clearTimeout(this.idleTimer);
    const { session } = this;
    if (session === undefined) return;
    this.interrupt?.(fatal('08006', 'connection to client lost'));
    this.db.sessions.delete(session.pid);
    session.end();
    this.db.settle();
  }

  // Messages

  private *handle({ type, body }: wire.Message): Steps<void> {
    const fields = new wire.Fields(body);
    if (type === '') return this.start(fields);
    if (type === 'X') {
      this.socket.end();
      return this.end();
    }
    if (this.skipping && type !== 'S') return;
    try {
      yield* this.timed(type, fields);
    } catch (error) {
      this.fail(error);
      if (type === 'Q') this.ready();
      else this.skipping = type !== 'S';
      if (type === 'S') this.ready();
    }
  }

  /** Applies statement_timeout to whatever the message makes the session do. */
  private *timed(type: string, fields: wire.Fields): Steps<void> {
    const limit = this.session!.settings.milliseconds('statement_timeout');
    if (limit === 0) return yield* this.respond(type, fields);
    const timer = setTimeout(() => {
      this.interrupt?.(new SqlError('57014', 'canceling statement due to statement timeout'));
    }, limit);
    try {
      yield* this.respond(type, fields);
    } finally {
      clearTimeout(timer);
    }
  }

  private *respond(type: string, fields: wire.Fields): Steps<void> {
    switch (type) {
      case 'Q':
        return yield* this.simpleQuery(fields.text());
      case 'P':
        return this.parse(fields);
      case 'B':
        return this.bind(fields);
      case 'D':
        return this.describe(fields);
      case 'E':
        return yield* this.executePortal(fields);
      case 'C': {
        const map = fields.byte() === 'S' ? this.statements : this.portals;
        map.delete(fields.text());
        return this.send(wire.closeComplete());
      }
      case 'S':
        this.skipping = false;
        if (this.session!.implicit) yield* this.session!.commit();
        this.portals.clear();
        return this.ready();
      case 'H':
        return this.flush();
      case 'p':
        return undefined;
    }
    if (type === 'F') throw unsupported('the function call protocol');
    if (/[dcf]/.test(type)) return undefined;
    throw fatal('08P01', `invalid frontend message type ${type.charCodeAt(0)}`);
  }

  private start(fields: wire.Fields): void {
    const version = fields.int32();
    if (version === SSL || version === GSS) {
      this.socket.write('N');
      return;
    }
    if (version === CANCEL) {
      const target = this.db.sessions.get(fields.int32());
      if (target?.secret === fields.int32()) target.cancel();
      this.socket.end();
      return this.end();
    }
    if (version !== PROTOCOL_3)
      return this.die(fatal('0A000', `unsupported frontend protocol ${version >>> 16}`));
    const options = new Map<string, string>();
    for (let name = fields.text(); name !== ''; name = fields.text())
      options.set(name, fields.text());
    const user = options.get('user') ?? 'postgres';
    const database = options.get('database') ?? user;
    if (database !== this.db.name) {
      return this.die(fatal('3D000', `database "${database}" does not exist`));
    }
    this.begin(user, options);
  }

  private begin(user: string, options: Map<string, string>): void {
    const session = new Session(this.db, user, {
      notice: ({ severity, code, message }) => this.send(wire.report('N', severity, code, message)),
      notification: (pid, channel, payload) => {
        this.send(wire.notification(pid, channel, payload));
        if (!this.busy) this.flush();
      },
      parameter: (name, value) => {
        if (this.session !== undefined) this.send(wire.parameterStatus(name, value));
      },
    });
    this.send(wire.authenticationOk());
    this.session = session;
    try {
      for (const [name, value] of options) {
        if (name === 'options') setOptions(session, value);
        else if (!/^(user|database|replication|_pq_\..*)$/.test(name))
          session.settings.set(name, value);
      }
    } catch (error) {
      return this.die(error as SqlError);
    }
    session.settings.set('session_authorization', user);
    this.output = this.output.slice(0, 1);
    session.settings.reportAll();
    this.db.sessions.set(session.pid, {
      secret: this.secret,
      cancel: () => this.cancel(),
      terminate: () => this.terminate(),
    });
    this.send(wire.backendKey(session.pid, this.secret));
    this.ready();
  }

  private ready(): void {
    const session = this.session!;
    this.send(wire.readyForQuery(session.status));
    const limit = session.settings.milliseconds('idle_in_transaction_session_timeout');
    if (limit > 0 && session.status !== 'I') {
      const message = 'terminating connection due to idle-in-transaction timeout';
      this.idleTimer = setTimeout(() => this.terminate(message, '25P03'), limit);
    }
  }

  private fail(error: unknown): void {
    this.session?.fail();
    this.portals.clear();
    if (!(error instanceof SqlError)) {
      // A fault of the stand-in itself must not look like an answer of PostgreSQL.
      const { stack, message } = error as Error;
      this.sendError(
        new SqlError('XX000', `detsim's PostgreSQL stand-in failed: ${message}`, { detail: stack }),
      );
      return;
    }
    this.sendError(error);
    if (error.severity === 'FATAL') {
      this.flush();
      this.socket.end();
      this.end();
    }
  }

  private sendError({ severity, code, message, fields }: SqlError): void {
    this.send(wire.report('E', severity, code, message, fields));
  }

  // Queries

  private *simpleQuery(text: string): Steps<void> {
    const session = this.session!;
    const statements = parse(text);
    if (statements.length === 0) this.send(wire.emptyQuery());
    for (const statement of statements) {
      const prepared = prepare(statement, session, []);
      const result = yield* execute(prepared, [], session);
      if (result.columns !== undefined) this.send(wire.rowDescription(result.columns, []));
      this.sendRows(result.columns, result.rows, []);
      // Statements sent together are one transaction, unless they say otherwise.
      if (statements.length === 1 && session.implicit) yield* session.commit();
      this.send(wire.commandComplete(result.tag));
    }
    if (session.implicit) yield* session.commit();
    this.ready();
  }

  private parse(fields: wire.Fields): void {
    const session = this.session!;
    const [name, text] = [fields.text(), fields.text()];
    const oids = fields.list(() => fields.int32());
    const statements = parse(text);
    if (statements.length > 1) {
      throw new SqlError('42601', 'cannot insert multiple commands into a prepared statement');
    }
    if (name !== '' && this.statements.has(name)) {
      throw new SqlError('42P05', `prepared statement "${name}" already exists`);
    }
    const types = oids.map((oid) => (oid === 0 ? undefined : this.typeOf(oid)));
    this.statements.set(name, prepare(statements[0], session, types));
    this.send(wire.parseComplete());
  }

  private typeOf(oid: number): Type {
    const type = this.db.typeByOid(oid, this.session!.transaction);
    if (type === undefined) throw unsupported(`a parameter of the type with OID ${oid}`);
    return type === t.UNKNOWN ? t.TEXT : type;
  }

  private statementNamed(name: string): Prepared {
    const prepared = this.statements.get(name);
    if (prepared !== undefined) return prepared;
    throw new SqlError(
      '26000',
      name === ''
        ? 'unnamed prepared statement does not exist'
        : `prepared statement "${name}" does not exist`,
    );
  }

  private bind(fields: wire.Fields): void {
    const [name, statement] = [fields.text(), fields.text()];
    const prepared = this.statementNamed(statement);
    const formats = fields.list(() => fields.int16());
    const { types } = prepared.parameters;
    let i = 0;
    const params = fields.list(() => {
      const length = fields.int32();
      const bytes = length < 0 ? null : fields.bytes(length);
      i += 1;
      return this.parameter(bytes, types[i - 1], wire.formatAt(formats, i - 1));
    });
    if (params.length !== types.length) {
      throw new SqlError(
        '08P01',
        `bind message supplies ${params.length} parameters, but prepared statement "${statement}" requires ${types.length}`,
      );
    }
    this.portals.set(name, {
      prepared,
      params,
      formats: fields.list(() => fields.int16()),
      sent: 0,
    });
    this.send(wire.bindComplete());
  }

  private parameter(bytes: Buffer | null, type: Type | undefined, format: number): any {
    if (bytes === null) return null;
    const known = type ?? t.TEXT;
    if (format === 0) {
      const text = bytes.toString('utf8');
      if (text.includes('\0'))
        throw new SqlError('22021', 'invalid byte sequence for encoding "UTF8": 0x00');
      return known === t.REGCLASS ? this.session!.regNamed(known, text) : known.parse(text);
    }
    if (known.receive === undefined) throw unsupported(`binary input of type ${known.sqlName}`);
    return known.receive(Buffer.from(bytes));
  }

  private describe(fields: wire.Fields): void {
    const kind = fields.byte();
    const name = fields.text();
    const portal = kind === 'P' ? this.portalNamed(name) : undefined;
    const prepared = portal?.prepared ?? this.statementNamed(name);
    if (portal === undefined) {
      this.send(
        wire.parameterDescription(prepared.parameters.types.map((type) => type?.oid ?? 25)),
      );
    }
    const { columns } = prepared;
    this.send(
      columns === undefined ? wire.noData() : wire.rowDescription(columns, portal?.formats ?? []),
    );
  }

  private portalNamed(name: string): Portal {
    const portal = this.portals.get(name);
    if (portal !== undefined) return portal;
    throw new SqlError('34000', `portal "${name}" does not exist`);
  }

  private *executePortal(fields: wire.Fields): Steps<void> {
    const portal = this.portalNamed(fields.text());
    const limit = fields.int32();
    if (portal.prepared.statement === undefined) return this.send(wire.emptyQuery());
    portal.result ??= yield* execute(portal.prepared, portal.params, this.session!);
    const { rows, columns, tag } = portal.result;
    const end = limit > 0 ? Math.min(rows.length, portal.sent + limit) : rows.length;
    const batch = rows.slice(portal.sent, end);
    this.sendRows(columns, batch, portal.formats);
    portal.sent = end;
    // A batch that is full may have more behind it; only the next one tells.
    if (limit > 0 && batch.length === limit) return this.send(wire.portalSuspended());
    return this.send(
      wire.commandComplete(tag.startsWith('SELECT') ? `SELECT ${batch.length}` : tag),
    );
  }

  private sendRows(
    columns: readonly OutputColumn[] | undefined,
    rows: readonly any[][],
    formats: readonly number[],
  ): void {
    if (columns === undefined) return;
    const session = this.session!;
    const run = { session, db: this.db } as unknown as Run;
    for (const row of rows) {
      const values = row.map((value, i): Buffer | null => {
        if (value === null) return null;
        const { type } = columns[i]!;
        if (wire.formatAt(formats, i) === 0)
          return Buffer.from(outputText(type, value, run), 'utf8');
        if (type.send === undefined) throw unsupported(`binary output of type ${type.sqlName}`);
        return type.send(value);
      });
      this.send(wire.dataRow(values));
    }
  }
}

/** `-c name=value`, as in PGOPTIONS. */
function setOptions(session: Session, text: string): void {
  for (const [, name, value] of text.matchAll(/(?:-c\s*|--)([\w.]+)=((?:\\.|\S)*)/g)) {
    session.settings.set(name!.replace(/-/g, '_'), value!.replace(/\\(.)/g, '$1'));
  }
}
