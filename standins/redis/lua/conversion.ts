/**
 * Replies as values of Lua, and values of Lua as replies, by the rules of Redis's page "Redis Lua
 * API reference".
 */

import { formatDouble } from '../numbers.js';
import {
  ByProtocol,
  Double,
  ErrorReply,
  MapReply,
  NULL_ARRAY,
  type Protocol,
  type Reply,
  SetReply,
  Status,
  Verbatim,
} from '../reply.js';
import { LuaTable } from './table.js';
import type { LuaValue } from './value.js';

/** @param protocol what the script has asked for with redis.setresp */
export function toLua(reply: Reply, protocol: Protocol): LuaValue {
  if (typeof reply === 'number' || typeof reply === 'string') return reply;
  if (typeof reply === 'bigint') return Number(reply);
  if (reply === null || reply === NULL_ARRAY) return protocol === 3 ? undefined : false;
  if (typeof reply === 'boolean') return protocol === 3 ? reply : Number(reply);
  if (Array.isArray(reply)) return arrayOf(reply as Reply[], protocol);
  if (reply instanceof Status) return LuaTable.from({ ok: reply.text });
  if (reply instanceof ErrorReply) return LuaTable.from({ err: reply.message });
  if (reply instanceof ByProtocol) {
    return toLua(protocol === 3 ? reply.resp3 : reply.resp2, protocol);
  }
  if (reply instanceof Verbatim) {
    if (protocol === 2) return reply.text;
    const text = LuaTable.from({ format: 'txt', string: reply.text });
    return LuaTable.from({ verbatim_string: text });
  }
  if (reply instanceof Double) {
    return protocol === 3 ? LuaTable.from({ double: reply.value }) : formatDouble(reply.value);
  }
  if (reply instanceof MapReply) {
    if (protocol === 2) return arrayOf(reply.flat, protocol);
    const map = new LuaTable();
    for (let i = 0; i < reply.flat.length; i += 2) {
      map.set(toLua(reply.flat[i], protocol), toLua(reply.flat[i + 1], protocol));
    }
    return LuaTable.from({ map });
  }
  if (reply instanceof SetReply) {
    if (protocol === 2) return arrayOf(reply.members, protocol);
    const set = new LuaTable();
    for (const member of reply.members) set.set(toLua(member, protocol), true);
    return LuaTable.from({ set });
  }
  return false;
}

function arrayOf(items: readonly Reply[], protocol: Protocol): LuaTable {
  const table = new LuaTable();
  items.forEach((item, i) => table.set(i + 1, toLua(item, protocol)));
  return table;
}

export function fromLua(value: LuaValue, protocol: Protocol): Reply {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? integerOf(value) : -(2n ** 63n);
  if (typeof value === 'boolean') return protocol === 3 ? value : value ? 1 : null;
  if (!(value instanceof LuaTable)) return null;
  const error = value.get('err');
  if (typeof error === 'string') return new ErrorReply(error.replace(/^-/, ''));
  const status = value.get('ok');
  if (typeof status === 'string') return new Status(status);
  const double = value.get('double');
  if (typeof double === 'number') return new Double(double);
  const map = value.get('map');
  if (map instanceof LuaTable) {
    return new MapReply([...map.pairs()].flat().map((one) => fromLua(one, protocol)));
  }
  const set = value.get('set');
  if (set instanceof LuaTable) {
    return new SetReply([...set.pairs()].map(([member]) => fromLua(member, protocol)));
  }
  const items: Reply[] = [];
  for (let i = 1; ; i++) {
    const item = value.get(i);
    if (item === undefined) return items;
    items.push(fromLua(item, protocol));
  }
}

/** Cut towards zero, as C does. */
function integerOf(value: number): Reply {
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole + 0 : BigInt.asIntN(64, BigInt(whole));
}
