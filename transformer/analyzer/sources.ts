/**
 * The sources of nondeterminism that a program can call: timers, randomness, clocks and I/O.
 *
 * Each is listed once, under the module of Node that exports it, or as a global. `*` stands for
 * every function of a module.
 */

export type SourceKind = 'timer' | 'random' | 'clock' | 'io';

/** A value that is reached from a global or from a module of Node. */
export interface Reference {
  /** The module without `node:`; undefined for a global. */
  readonly module: string | undefined;
  /** Property names from there on. */
  readonly path: readonly string[];
}

const GLOBALS: Record<SourceKind, string> = {
  timer: 'setTimeout setInterval setImmediate AbortSignal.timeout',
  random: 'Math.random crypto.randomUUID crypto.randomUUIDv7 crypto.getRandomValues',
  clock: 'Date Date.now performance.now',
  io: 'fetch WebSocket EventSource',
};

const MODULES: Record<string, Partial<Record<SourceKind, string>>> = {
  timers: { timer: 'setTimeout setInterval setImmediate' },
  'timers/promises': {
    timer: 'setTimeout setInterval setImmediate scheduler.wait scheduler.yield',
  },
  crypto: {
    random:
      'randomBytes randomInt randomUUID randomUUIDv7 randomFill randomFillSync getRandomValues ' +
      'generateKeyPair ' +
      'generateKeyPairSync generateKey generateKeySync generatePrime generatePrimeSync',
    io: 'pbkdf2 scrypt hkdf checkPrime',
  },
  'crypto/subtle': { io: '*' },
  process: {
    clock: 'hrtime hrtime.bigint uptime cpuUsage memoryUsage memoryUsage.rss resourceUsage',
  },
  perf_hooks: { clock: 'performance.now' },
  os: { clock: 'uptime loadavg freemem cpus' },
  fs: { io: '*' },
  'fs/promises': { io: '*' },
  net: { io: 'connect createConnection createServer' },
  tls: { io: 'connect createServer' },
  http: { io: 'request get createServer' },
  https: { io: 'request get createServer' },
  http2: { io: 'connect createServer createSecureServer' },
  dgram: { io: 'createSocket' },
  dns: { io: '*' },
  'dns/promises': { io: '*' },
  zlib: {
    io:
      'deflate deflateRaw inflate inflateRaw gzip gunzip unzip brotliCompress brotliDecompress ' +
      'zstdCompress zstdDecompress',
  },
  child_process: { io: '*' },
  worker_threads: { io: 'Worker' },
};

const BUILTINS = new Set([...Object.keys(MODULES), 'util', 'assert']);

const kinds = new Map<string, SourceKind>();
for (const [kind, names] of Object.entries(GLOBALS) as [SourceKind, string][]) {
  for (const name of names.split(' ')) kinds.set(key(undefined, name), kind);
}
for (const [module, table] of Object.entries(MODULES)) {
  for (const [kind, names] of Object.entries(table) as [SourceKind, string][]) {
    for (const name of names.split(' ')) kinds.set(key(module, name), kind);
  }
}

function key(module: string | undefined, path: string): string {
  return `${module ?? ''}#${path}`;
}

/** Which source `reference` is, if it is one. */
export function sourceKindOf(reference: Reference): SourceKind | undefined {
  const { module, path } = canonical(reference);
  if (path.length === 0) return undefined;
  const exact = kinds.get(key(module, path.join('.')));
  if (exact !== undefined || path.length > 1) return exact;
  return kinds.get(key(module, '*'));
}

/** The module that a specifier names, if it is one of Node's that matter here. */
export function builtinModule(specifier: string): string | undefined {
  const name = specifier.startsWith('node:') ? specifier.slice(5) : specifier;
  return BUILTINS.has(name) ? name : undefined;
}

/** One name for what can be reached on several ways, such as `fs.promises` and `fs/promises`. */
function canonical({ module, path }: Reference): Reference {
  while (path[0] === 'default' && module !== undefined) path = path.slice(1);
  if (module === undefined) {
    while (path[0] === 'globalThis' || path[0] === 'global') path = path.slice(1);
    if (path[0] === 'process') return { module: 'process', path: path.slice(1) };
    if (path[0] === 'crypto' && path[1] === 'subtle') {
      return { module: 'crypto/subtle', path: path.slice(2) };
    }
  } else if (path[0] === 'promises' && MODULES[`${module}/promises`] !== undefined) {
    return { module: `${module}/promises`, path: path.slice(1) };
  } else if (module === 'crypto' && path[0] === 'webcrypto') {
    return canonical({ module: undefined, path: ['crypto', ...path.slice(1)] });
  } else if (module === 'crypto' && path[0] === 'subtle') {
    return { module: 'crypto/subtle', path: path.slice(1) };
  }
  return { module, path };
}
