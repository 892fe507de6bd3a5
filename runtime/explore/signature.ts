/**
 * The signature of a failure: what it is, without the values that differ from seed to seed. Failing
 * seeds of one signature are one finding, and a minimized schedule must keep the signature.
 */

/** What a signature is made of. */
export interface Signed {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
}

/**
 * The signature of a failure of a test.
 *
 * Where it was thrown is left out on purpose: the code between two yield points that notices a bug
 * first differs with the schedule.
 */
export function signatureOf(failure: Signed, test: string): string {
  return [failure.kind, failure.name, stripValues(failure.message), test].join(' | ');
}

/** Replaces the values in a message: numbers, quoted texts, booleans, objects and arrays, ids. */
export function stripValues(message: string): string {
  let text = message.split('\n', 1)[0];
  text = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '…');
  for (let before = ''; before !== text;) {
    before = text;
    text = text.replace(/\{[^{}]*\}|\[[^[\]]*\]/g, '…');
  }
  return text
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b0x[0-9a-f]+\b|\b[0-9a-f]{12,}\b/gi, 'N')
    .replace(/-?\b\d[\d_.,:]*(?:e[+-]?\d+)?/gi, 'N')
    .replace(/\b(?:true|false|null|undefined|NaN)\b/g, '…')
    .slice(0, 300);
}
