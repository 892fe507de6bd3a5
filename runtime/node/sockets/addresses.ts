/**
 * IP addresses as the simulated network compares them.
 */

import { isIP } from 'node:net';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

const MAPPED = '::ffff:';

/** An IPv4 address that is written as an IPv6 one; every other address as it is. */
export function unmapped(address: string): string {
  const low = address.toLowerCase();
  return low.startsWith(MAPPED) && isIP(low.slice(MAPPED.length)) === 4
    ? low.slice(MAPPED.length)
    : low;
}

/** As a socket of IPv6 shows it. */
export function mapped(address: string): string {
  return address.includes(':') ? address : MAPPED + address;
}

/** Stands for every address of a host. */
export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

export function isLoopback(address: string): boolean {
  return address === '::1' || (address.startsWith('127.') && isIP(address) === 4);
}

/** What `getsockname` and `getpeername` fill in. */
export function describe(out: object, { address, port }: Endpoint): void {
  Object.assign(out, { address, family: address.includes(':') ? 'IPv6' : 'IPv4', port });
}
