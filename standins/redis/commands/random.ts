/**
 * Random members. Inside a simulation Math.random is drawn from the seed.
 */

const below = (limit: number): number => Math.floor(Math.random() * limit);

/**
 * Draws items: different ones, at most all of them; with a negative count so many, and some may
 * come again.
 */
export function draw<T>(items: readonly T[], count: number): T[] {
  if (items.length === 0) return [];
  if (count < 0) return Array.from({ length: -count }, () => items[below(items.length)]);
  if (count >= items.length) return [...items];
  const left = [...items];
  return Array.from({ length: count }, () => {
    const at = below(left.length);
    const [item] = left.splice(at, 1);
    return item;
  });
}
