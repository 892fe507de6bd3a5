/**
 * Integer hashing for draws and keys.
 *
 * Every draw of a simulation is a pure function of a seed and a key, so there is no generator
 * whose position could shift: taking one choice away leaves every other choice as it was.
 * The mixing steps are those of MurmurHash3 x86 32-bit (Austin Appleby, public domain).
 */

/** Mixes one 32-bit word into a running 32-bit hash. */
export function mix(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = (k << 15) | (k >>> 17);
  k = Math.imul(k, 0x1b873593);
  let h = hash ^ k;
  h = (h << 13) | (h >>> 19);
  return (Math.imul(h, 5) + 0xe6546b64) | 0;
}

/** Spreads the bits of a mixed hash; the result is a signed 32-bit integer. */
export function finish(hash: number): number {
  let h = hash;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Hashes a string, one UTF-16 code unit at a time. */
export function hashString(text: string, start = 0): number {
  let h = start;
  for (let i = 0; i < text.length; i++) h = mix(h, text.charCodeAt(i));
  return finish(h ^ text.length);
}

/** Hashes a seed, an integer between 0 and 2^53 - 1. */
export function hashSeed(seed: number): number {
  return finish(mix(mix(0x5eed, seed | 0), Math.floor(seed / 4294967296) | 0));
}

/** A uniform fraction in [0, 1) with 53 bits, drawn from two independent words. */
export function fraction(hash: number): number {
  const high = finish(hash) >>> 5;
  const low = finish(mix(hash, 0x2545f491)) >>> 6;
  return (high * 67108864 + low) / 9007199254740992;
}
