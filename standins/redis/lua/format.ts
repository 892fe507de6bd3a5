/**
 * string.format, as the printf of C does it.
 */

import type { Arguments } from './arguments.js';
import type { Runtime } from './runtime.js';
import { formatGeneral } from './value.js';

const DIRECTIVE = /%(?:%|([-+ #0]*)(\d*)(?:\.(\d*))?(.?))/gs;

interface Spec {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

const signed = (text: string, negative: boolean, { flags }: Spec): string =>
  negative
    ? `-${text}`
    : flags.includes('+')
      ? `+${text}`
      : flags.includes(' ')
        ? ` ${text}`
        : text;

function padded(text: string, { flags, width }: Spec, zeros: boolean): string {
  if (flags.includes('-')) return text.padEnd(width);
  if (!zeros || !flags.includes('0')) return text.padStart(width);
  const [, sign, digits] = /^([+ -]?(?:0[xX])?)(.*)$/s.exec(text)!;
  return sign + digits.padStart(width - sign.length, '0');
}

function integer(value: number, spec: Spec): string {
  const text = String(BigInt(Math.trunc(Math.abs(value)))).padStart(spec.precision ?? 1, '0');
  const zeros = spec.precision === undefined;
  return padded(signed(text, Math.trunc(value) < 0, spec), spec, zeros);
}

function unsigned(value: number, letter: string, spec: Spec): string {
  const bits = BigInt.asUintN(64, BigInt(Math.trunc(value)));
  let text = bits.toString(letter === 'o' ? 8 : letter === 'u' ? 10 : 16);
  text = text.padStart(spec.precision ?? 1, '0');
  if (letter === 'X') text = text.toUpperCase();
  if (spec.flags.includes('#') && bits !== 0n && letter !== 'u') {
    text = (letter === 'o' ? '0' : `0${letter}`) + text;
  }
  return padded(text, spec, spec.precision === undefined);
}

function floating(value: number, letter: string, spec: Spec): string {
  const size = Math.abs(value);
  const negative = value < 0 || Object.is(value, -0);
  if (!Number.isFinite(value)) {
    const word = Number.isNaN(value) ? 'nan' : 'inf';
    return padded(
      signed(word, negative, spec),
      { ...spec, flags: spec.flags.replace('0', '') },
      false,
    );
  }
  const precision = spec.precision ?? 6;
  const kind = letter.toLowerCase();
  let text: string;
  if (kind === 'f') text = size < 1e21 ? size.toFixed(precision) : bigFixed(size, precision);
  else if (kind === 'e') text = size.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
  else text = formatGeneral(size, precision, spec.flags.includes('#'));
  if (letter !== kind) text = text.toUpperCase();
  return padded(signed(text, negative, spec), spec, true);
}

const bigFixed = (value: number, precision: number): string =>
  `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;

const QUOTED: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\\n',
  '\r': '\\r',
  '\0': '\\000',
};

export function formatText(runtime: Runtime, args: Arguments): string {
  let next = 1;
  return args.text(0).replace(DIRECTIVE, (whole, flags = '', width = '', precision, letter) => {
    if (whole === '%%') return '%';
    const spec: Spec = {
      flags: flags as string,
      width: Number(width),
      precision: precision === undefined ? undefined : Number(precision),
    };
    const i = next++;
    switch (letter as string) {
      case 'c':
        return padded(String.fromCharCode(args.integer(i)), spec, false);
      case 'd':
      case 'i':
        return integer(args.number(i), spec);
      case 'o':
      case 'u':
      case 'x':
      case 'X':
        return unsigned(args.number(i), letter as string, spec);
      case 'e':
      case 'E':
      case 'f':
      case 'g':
      case 'G':
        return floating(args.number(i), letter as string, spec);
      case 'q':
        return `"${args.text(i).replace(/["\\\n\r\0]/g, (one) => QUOTED[one])}"`;
      case 's':
        return padded(args.text(i).slice(0, spec.precision), spec, false);
    }
    throw runtime.failure(`invalid option '%${letter as string}' to 'format'`);
  });
}
