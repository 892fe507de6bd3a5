/** The `mappings` of a source map that leads each token of a text to itself. */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Base 64 VLQ, as in source map revision 3. */
function encode(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

export function identityMappings(text: string): string {
  const token = /[\w$]+|[^\s\w$]+/g;
  // The source column runs on over lines, the generated one starts anew in each.
  let lastColumn = 0;
  let skippedLines = 0;
  const lines = text.split('\n').map((line) => {
    let generated = 0;
    let segments = '';
    token.lastIndex = 0;
    for (let found = token.exec(line); found !== null; found = token.exec(line)) {
      const { index: column } = found;
      const lineDelta = segments === '' ? skippedLines : 0;
      const source = `A${encode(lineDelta)}${encode(column - lastColumn)}`;
      segments += `${segments && ','}${encode(column - generated)}${source}`;
      generated = lastColumn = column;
    }
    skippedLines = segments === '' ? skippedLines + 1 : 1;
    return segments;
  });
  return lines.join(';');
}
