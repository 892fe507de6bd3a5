/**
 * How benchmarks report: a table for people, or one JSON line per figure.
 */

export interface Figure {
  readonly bench: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** What the figure is measured against, in the same run and unit. */
  readonly against?: Readonly<Record<string, number>>;
  /** The value in terms of each of those: above 1 is more. */
  readonly ratio?: Readonly<Record<string, number>>;
  /** What is asked of the figure, as a sentence. */
  readonly limit?: string;
}

/** A figure together with its ratios. */
export function figure(values: Omit<Figure, 'ratio'>): Figure {
  const { against, value } = values;
  if (against === undefined) return values;
  const ratios = Object.entries(against).map(([name, other]) => [name, round(value / other)]);
  return { ...values, ratio: Object.fromEntries(ratios) as Record<string, number> };
}

export function printFigures(figures: readonly Figure[], json: boolean): void {
  if (json) {
    for (const one of figures) console.log(JSON.stringify(one));
    return;
  }
  const rows = figures.map(({ figure: name, value, unit, ratio, limit }) => {
    const compared = Object.entries(ratio ?? {}).map(([other, times]) => `${times} x ${other}`);
    return [name, `${round(value)} ${unit}`, compared.join(', '), limit ?? ''];
  });
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((row) => row[i]!.length)));
  for (const [name, value, ...rest] of rows) {
    const cells = [name!.padEnd(widths[0]!), value!.padStart(widths[1]!)];
    cells.push(...rest.map((cell, i) => cell.padEnd(widths[i + 2]!)));
    console.log(cells.join('   ').trimEnd());
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
