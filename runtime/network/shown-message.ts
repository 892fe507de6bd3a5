/**
 * A message as a line of a trace shows it: its JSON, cut where it gets long.
 */

const LONGEST = 200;

export function shownMessage(message: unknown): string {
  const text = asJson(message);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

function asJson(message: unknown): string {
  try {
    return JSON.stringify(message, plain) ?? String(message);
  } catch {
    return String(message);
  }
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Map || value instanceof Set) return [...value];
  return ArrayBuffer.isView(value) ? `${value.byteLength} bytes` : value;
}
