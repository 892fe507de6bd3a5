/**
 * What INFO says. Figures of memory and processor are those of an idle server: they would differ
 * from run to run otherwise.
 */

import type { Engine } from './engine.js';
import { VERSION } from './version.js';

type Facts = Readonly<Record<string, string | number>>;

const RUN_ID = '0'.repeat(40);
const MEMORY = 1024 * 1024;

function sectionsOf(engine: Engine): Readonly<Record<string, Facts>> {
  const uptime = Math.floor((engine.now - engine.started) / 1000);
  const blocked = [...engine.sessions.values()].filter((one) => one.blocked !== undefined).length;
  return {
    Server: {
      redis_version: VERSION,
      redis_git_sha1: '00000000',
      redis_mode: 'standalone',
      os: 'detsim',
      arch_bits: 64,
      process_id: 1,
      run_id: RUN_ID,
      tcp_port: engine.config.get('port')!,
      server_time_usec: engine.now * 1000,
      uptime_in_seconds: uptime,
      uptime_in_days: Math.floor(uptime / 86400),
      hz: 10,
      executable: '/usr/bin/redis-server',
      config_file: '',
    },
    Clients: {
      connected_clients: engine.sessions.size,
      maxclients: engine.config.get('maxclients')!,
      blocked_clients: blocked,
      tracking_clients: 0,
    },
    Memory: {
      used_memory: MEMORY,
      used_memory_human: '1.00M',
      used_memory_rss: MEMORY,
      used_memory_peak: MEMORY,
      maxmemory: engine.config.get('maxmemory')!,
      maxmemory_human: '0B',
      maxmemory_policy: engine.config.get('maxmemory-policy')!,
      mem_fragmentation_ratio: '1.00',
      mem_allocator: 'libc',
    },
    Persistence: {
      loading: 0,
      async_loading: 0,
      rdb_changes_since_last_save: engine.changes,
      rdb_bgsave_in_progress: 0,
      rdb_last_save_time: Math.floor(engine.started / 1000),
      rdb_last_bgsave_status: 'ok',
      aof_enabled: 0,
    },
    Stats: {
      total_connections_received: engine.connectionsReceived,
      total_commands_processed: engine.commandsProcessed,
      rejected_connections: 0,
      evicted_keys: 0,
      pubsub_channels: engine.pubsub.channels.size,
      pubsub_patterns: engine.pubsub.patterns.size,
    },
    Replication: {
      role: 'master',
      connected_slaves: 0,
      master_failover_state: 'no-failover',
      master_replid: RUN_ID,
      master_repl_offset: 0,
    },
    CPU: { used_cpu_sys: '0.000000', used_cpu_user: '0.000000' },
    Modules: {},
    Errorstats: {},
    Cluster: { cluster_enabled: 0 },
    Keyspace: keyspace(engine),
  };
}

function keyspace(engine: Engine): Facts {
  const used = engine.databases.filter(({ size }) => size > 0);
  return Object.fromEntries(
    used.map(({ index, size, volatile }) => [
      `db${index}`,
      `keys=${size},expires=${volatile},avg_ttl=0`,
    ]),
  );
}

/** The sections that are asked for; all of them when none is named. */
export function infoText(engine: Engine, wanted: readonly string[]): string {
  const names = wanted.map((name) => name.toLowerCase());
  const all = ['all', 'default', 'everything'].some((name) => names.includes(name));
  const sections = Object.entries(sectionsOf(engine)).filter(
    ([name]) => all || names.length === 0 || names.includes(name.toLowerCase()),
  );
  return sections
    .map(([name, facts]) => {
      const lines = Object.entries(facts).map(([fact, value]) => `${fact}:${value}\r\n`);
      return `# ${name}\r\n${lines.join('')}`;
    })
    .join('\r\n');
}
