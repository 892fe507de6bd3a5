/** DS1106: text that depends on the locale of the machine, or on the clock. */

import type ts from 'typescript';
import { on, type Rule, type RuleContext } from '../check/rule.js';

const METHODS = /\.toLocale(?:String|DateString|TimeString|UpperCase|LowerCase)$/;
const FORMATS =
  /^Intl\.(?:DateTimeFormat|NumberFormat|Collator|PluralRules|RelativeTimeFormat|ListFormat|Segmenter|DurationFormat)$/;
const NOW = /^Intl\.DateTimeFormat\.(?:format|formatToParts)$/;

export const locale: Rule = {
  code: 'DS1106',
  name: 'locale',
  severity: 'warning',
  summary: 'Text that depends on the locale of the machine, or on the clock',
  flagged:
    '`toLocaleString` and its like, `localeCompare` and the classes of `Intl`, without a locale; and ' +
    '`format` of a date format without a date, which reads the clock.',
  why:
    'The locale is that of the machine. A trace that was recorded on one machine can differ on ' +
    'another, and so can an order that was sorted by locale.',
  instead: 'Name the locale, and the time zone where there is one; give `format` a date.',
  example: {
    bad: `export const price = (1234.5).toLocaleString();`,
    good: `export const price = (1234.5).toLocaleString('en');`,
  },
  listeners: (ts) => [
    on<ts.CallExpression>(ts.SyntaxKind.CallExpression, visit),
    on<ts.NewExpression>(ts.SyntaxKind.NewExpression, visit),
  ],
};

function visit(node: ts.CallExpression | ts.NewExpression, context: RuleContext): void {
  const { names, report } = context;
  const name = names.of(node.expression);
  if (name === undefined) return;
  const given = node.arguments ?? [];
  if (NOW.test(name)) {
    if (isNothing(given[0], context)) {
      report(node, `\`${name}\` without a date reads the clock: give it the date to format.`);
    }
    return;
  }
  const localeAt =
    METHODS.test(name) || FORMATS.test(name) ? 0 : name === 'String.localeCompare' ? 1 : -1;
  if (localeAt < 0 || !isNothing(given[localeAt], context)) return;
  report(
    node,
    `\`${name}\` without a locale depends on the machine that it runs on: name the locale.`,
  );
}

/** Whether an argument leaves the locale to the machine. */
function isNothing(argument: ts.Expression | undefined, { ts }: RuleContext): boolean {
  if (argument === undefined) return true;
  if (ts.isArrayLiteralExpression(argument)) return argument.elements.length === 0;
  return ts.isIdentifier(argument) && argument.text === 'undefined';
}
