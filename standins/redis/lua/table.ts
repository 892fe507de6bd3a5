/**
 * Tables: an array for the keys 1, 2, 3..., and slots by key for the others, in the order in which
 * they were added. A script sees the same order in every run.
 */

import { LuaError, type LuaValue } from './value.js';

export class LuaTable {
  /** The values of keys from 1 on; the last is never nil. */
  readonly array: LuaValue[] = [];
  private slots = new Map<LuaValue, number>();
  private keys: LuaValue[] = [];
  private values: LuaValue[] = [];
  /** Slots whose value is nil; they stay until the table grows, for loops that delete. */
  private holes = 0;
  metatable: LuaTable | undefined;
  /** Scripts cannot change it. */
  readOnly = false;

  static of(values: readonly LuaValue[]): LuaTable {
    const table = new LuaTable();
    values.forEach((value, i) => table.set(i + 1, value));
    return table;
  }

  static from(fields: Readonly<Record<string, LuaValue>>): LuaTable {
    const table = new LuaTable();
    for (const [name, value] of Object.entries(fields)) table.set(name, value);
    return table;
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number' && key > 0 && key <= this.array.length) {
      if (Number.isInteger(key)) return this.array[key - 1];
    }
    const slot = this.slots.get(key);
    return slot === undefined ? undefined : this.values[slot];
  }

  /** @throws {LuaError} when the key is nil or not a number */
  set(key: LuaValue, value: LuaValue): void {
    if (typeof key === 'number' && key > 0 && key <= this.array.length + 1) {
      if (Number.isInteger(key)) {
        this.setAt(key, value);
        return;
      }
    }
    if (key === undefined) throw new LuaError('table index is nil');
    if (Number.isNaN(key)) throw new LuaError('table index is NaN');
    this.setSlot(key, value);
  }

  /** The length: the array has no nil at its end, and the next key is never in a slot. */
  get length(): number {
    return this.array.length;
  }

  /**
   * The pair behind a key, or undefined at the end; nil begins.
   * @throws {LuaError} when the key is not in the table
   */
  next(key: LuaValue): [LuaValue, LuaValue] | undefined {
    let at = 0;
    const inArray = typeof key === 'number' && Number.isInteger(key) && key > 0;
    if (key !== undefined && inArray && key <= this.array.length) at = key;
    else if (key !== undefined) {
      const slot = this.slots.get(key);
      // The last of the array may have been taken away in the loop.
      if (slot === undefined && !inArray) throw new LuaError("invalid key to 'next'");
      at = this.array.length + (slot === undefined ? 0 : slot + 1);
    }
    for (; at < this.array.length; at++) {
      if (this.array[at] !== undefined) return [at + 1, this.array[at]];
    }
    for (let slot = at - this.array.length; slot < this.keys.length; slot++) {
      if (this.values[slot] !== undefined) return [this.keys[slot], this.values[slot]];
    }
    return undefined;
  }

  *pairs(): Generator<[LuaValue, LuaValue]> {
    for (let pair = this.next(undefined); pair !== undefined; pair = this.next(pair[0])) yield pair;
  }

  private setAt(key: number, value: LuaValue): void {
    const { array } = this;
    if (key === array.length + 1) {
      if (value === undefined) this.setSlot(key, undefined);
      else {
        this.setSlot(key, undefined);
        array.push(value);
        this.takeFromSlots();
      }
      return;
    }
    array[key - 1] = value;
    while (array.length > 0 && array[array.length - 1] === undefined) array.pop();
  }

  /** Keys that follow the array move there. */
  private takeFromSlots(): void {
    while (this.slots.size > 0) {
      const key = this.array.length + 1;
      const slot = this.slots.get(key);
      if (slot === undefined || this.values[slot] === undefined) return;
      const value = this.values[slot];
      this.setSlot(key, undefined);
      this.array.push(value);
    }
  }

  private setSlot(key: LuaValue, value: LuaValue): void {
    const slot = this.slots.get(key);
    if (slot !== undefined) {
      this.holes += +(value === undefined) - +(this.values[slot] === undefined);
      this.values[slot] = value;
      return;
    }
    if (value === undefined) return;
    if (this.holes > 8 && this.holes * 2 > this.keys.length) this.compact();
    this.slots.set(key, this.keys.length);
    this.keys.push(key);
    this.values.push(value);
  }

  private compact(): void {
    const kept = this.keys.map((_, slot) => slot).filter((slot) => this.values[slot] !== undefined);
    this.keys = kept.map((slot) => this.keys[slot]);
    this.values = kept.map((slot) => this.values[slot]);
    this.slots = new Map(this.keys.map((key, slot) => [key, slot]));
    this.holes = 0;
  }
}
