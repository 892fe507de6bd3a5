/** DS1113: `for await` over something that may have ended, or that never ends. */

import type ts from 'typescript';
import { skipOuter } from '../outer-expressions.js';
import { awaitBefore } from '../check/await-between.js';
import { on, type Rule, type RuleContext } from '../check/rule.js';

const STREAMS = [
  'stream.Readable',
  'stream.Stream.Readable',
  'NodeJS.ReadableStream',
  'readline.Interface',
  'readline/promises.Interface',
];

export const lateIteration: Rule = {
  code: 'DS1113',
  name: 'late-iteration',
  severity: 'warning',
  summary: '`for await` over a stream that may have ended, or over events that never end',
  flagged:
    '`for await` over a stream or a `readline` interface that was made, or last used, before an ' +
    '`await`; and over `events.on` without a `signal` or a `close` event.',
  why:
    'While the task waits the stream goes on: lines are lost, and an error or an end that came ' +
    'meanwhile is not seen, or is nobody’s. Events that never end keep the task for ever.',
  instead:
    'Begin to iterate before anything else is awaited, or make the stream afterwards. Give ' +
    '`events.on` a `signal`.',
  example: {
    bad: `import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

export async function read(text: Readable, ready: () => Promise<void>): Promise<void> {
  const lines = createInterface(text);
  await ready();
  for await (const line of lines) console.log(line);
}`,
    good: `import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

export async function read(text: Readable, ready: () => Promise<void>): Promise<void> {
  await ready();
  for await (const line of createInterface(text)) console.log(line);
}`,
  },
  listeners: (ts) => [
    on<ts.ForOfStatement>(ts.SyntaxKind.ForOfStatement, (node, context) => {
      if (node.awaitModifier === undefined) return;
      const source = skipOuter(ts, node.expression);
      if (ts.isCallExpression(source)) visitEvents(source, context);
      else if (ts.isIdentifier(source)) visitStream(source, context);
    }),
  ],
};

function visitEvents(source: ts.CallExpression, { ts, names, report }: RuleContext): void {
  if (names.of(source.expression) !== 'events.on') return;
  const options = source.arguments[2];
  if (options !== undefined && !ts.isObjectLiteralExpression(options)) return;
  const ends = options?.properties.some(
    ({ name }) => name !== undefined && /^(?:signal|close)$/.test(name.getText()),
  );
  if (ends === true) return;
  report(
    source,
    'This loop ends with no event, and a task that waits here waits for ever: ' +
      'give `events.on` a `signal`, or the event that ends it as `close`.',
  );
}

function visitStream(source: ts.Identifier, context: RuleContext): void {
  const { types, checker, report } = context;
  if (!types.inherits(checker.getTypeAtLocation(source), ...STREAMS)) return;
  if (awaitBefore(source, context) === undefined) return;
  report(
    source,
    `\`${source.text}\` may have ended, failed or moved on during the \`await\` before: ` +
      'iterate before anything else is awaited, or make it afterwards.',
  );
}
