/**
 * Novelty search over the schedules of one scope.
 *
 * It keeps the choice sequences that showed a shape or an event no earlier one had, and takes turns
 * between three things: what a flat sweep would run next; a sequence that was kept, changed a
 * little; and one that showed a rare event, followed up to there and then left to a strategy. The
 * last is the idea of Go-Explore (Ecoffet and others, Nature 2021): first return, then explore.
 * What needs many things to go wrong one after the other comes step by step, where a flat sweep
 * would have to hit them all at once.
 */

import { noDeviation, type Decision, type Strategy } from '../../kernel/choice.js';
import { finish, fraction, hashSeed, mix } from '../../kernel/hash.js';
import { NATIVE, type Rung } from '../../kernel/rung.js';
import { strategyOf } from '../plan.js';
import { NO_PROFILE, profileRecorder, type ScopeProfile } from '../profile.js';
import { makeStrategy } from '../strategies/index.js';
import { Portfolio } from '../strategies/portfolio.js';
import { RunEvents } from './events.js';
import {
  KEPT,
  PARTS,
  SHORTER,
  WAYS,
  type AddedWay,
  type Found,
  type Given,
  type KnownWay,
} from './knowledge.js';
import { followedBy, mutate, sequenceOf, sequenceStrategy, type Sequence } from './mutate.js';
import { Saturation } from './saturation.js';

/** Of so many that are drawn the best is taken. */
const DRAWN = 32;

interface Kept extends Sequence {
  /** How often it was used. */
  used: number;
}

/** The way to an event: the shortest of those that were seen. */
interface Way extends KnownWay {
  /** How often it is still to be taken before older ones. */
  tries: number;
  /** What was known of it at the beginning. */
  readonly before: Readonly<KnownWay> | undefined;
}

/** The way to an event that is new is taken so often before older ones. */
const TRIES = 20;

/** What a part of a search begins with. */
export interface SearchStart {
  readonly profile: ScopeProfile;
  readonly given: Given;
}

interface Current {
  readonly rung: Rung;
  readonly seed: number;
  readonly strategy: Strategy;
  readonly decisions: (readonly [Decision, number])[];
  readonly events: RunEvents;
  /** The number of the trial in the flat sweep that it was taken from. */
  readonly flat: number | undefined;
}

type Drawn = Pick<Current, 'rung' | 'seed' | 'strategy'> & { readonly flat?: number };

export class NoveltySearch {
  readonly saturation = new Saturation();
  private readonly kept: Kept[] = [];
  /** By event. */
  private readonly ways = new Map<number, Way>();
  private readonly events: Way[] = [];
  private readonly shown: (readonly [shape: number, outcome: string])[] = [];
  private readonly portfolio: Portfolio;
  private flatTrials = 1;
  private profile: ScopeProfile = NO_PROFILE;
  private current: Current | undefined;
  /** No choice of the first trial could deviate. */
  private single = false;

  /**
   * @param seed of the search
   * @param order the highest rung
   * @param rungOf the rung of a trial of a flat sweep
   * @param start of a part of a search that has begun before
   */
  constructor(
    private readonly seed: number,
    private readonly order: Rung,
    rungOf: (trial: number) => Rung = () => order,
    private readonly start?: SearchStart,
  ) {
    this.portfolio = new Portfolio(0, order, 'portfolio', rungOf);
    if (start === undefined) return;
    this.profile = start.profile;
    for (const shape of start.given.shapes) this.saturation.know(shape);
    for (const sequence of start.given.kept) this.kept.push({ ...sequence, used: 0 });
    for (const [event, before] of start.given.ways) {
      // The other parts of the round take it as well.
      const tries = Math.ceil((TRIES - before.used) / PARTS);
      this.addWay(event, { ...before, tries, before });
    }
  }

  /** What was found, beside what was given. */
  get found(): Found {
    const kept = this.kept.slice(this.start?.given.kept.length ?? 0);
    const ways = new Map<number, AddedWay>();
    for (const [event, { sequence, asked, seen, used, before }] of this.ways) {
      const own = { asked, seen: seen - (before?.seen ?? 0), used: used - (before?.used ?? 0) };
      if (own.seen === 0 && own.used === 0) continue;
      ways.set(event, before?.sequence === sequence ? own : { ...own, sequence });
    }
    return {
      trials: this.shown,
      kept: kept.map(({ rung, seed, delays, asked }) => ({ rung, seed, delays, asked })),
      ways,
    };
  }

  /** Whether there is hardly anything new to come. */
  get ended(): boolean {
    return this.single || this.saturation.dry;
  }

  /** Whether the program has one schedule. */
  get oneSchedule(): boolean {
    return this.single;
  }

  /** Rung and strategy of the next trial. */
  begin(): { rung: Rung; strategy: Strategy } {
    // A run that was begun and did not end has shown nothing.
    const left = this.current?.flat;
    if (left !== undefined) this.portfolio.add(left, { shape: 0, failures: [] });
    const trial = this.saturation.trials + 1;
    const hash = finish(mix(hashSeed(this.seed), trial));
    const first = this.events.length === 0 && trial === 1;
    const { rung, seed, strategy: drawn, flat } = first ? EMPTY : this.draw(hash);
    const events = new RunEvents();
    const strategy = events.watch(drawn);
    this.current = { rung, seed, strategy, decisions: [], events, flat };
    return { rung, strategy };
  }

  /** A choice of the trial that runs now. */
  choice(decision: Decision, at: number): void {
    this.current?.decisions.push([decision, at]);
  }

  /** What the trial showed. Returns whether its shape is new. */
  end(shape: number, outcome: string): boolean {
    const { current } = this;
    this.current = undefined;
    if (current === undefined) return false;
    if (this.saturation.trials === 0 && this.start === undefined) this.measure(current);
    const fresh = this.saturation.add(shape, outcome);
    if (this.start !== undefined) this.shown.push([shape, outcome]);
    const { decisions, seed, rung, flat } = current;
    if (flat !== undefined) this.portfolio.add(flat, { shape, failures: [outcome] });
    const sequence = (): Sequence =>
      sequenceOf(decisions, rung === NATIVE ? this.order : rung, seed);
    const kept = this.noteWays(current, sequence);
    if (fresh && this.kept.length < KEPT) {
      const own = kept ?? sequence();
      if (own.asked.length > 0) this.kept.push({ ...own, used: 0 });
    }
    return fresh;
  }

  /** Keeps the way to what is new, or was longer before. @returns the sequence, if it was kept */
  private noteWays({ events: { first } }: Current, sequence: () => Sequence): Sequence | undefined {
    let own: Sequence | undefined;
    for (const [event, asked] of first) {
      const way = this.ways.get(event);
      if (way === undefined) {
        if (this.events.length >= WAYS) continue;
        own ??= sequence();
        const start = { rung: own.rung, seed: own.seed, delays: own.delays };
        const counts = { seen: 1, used: 0, tries: TRIES };
        this.addWay(event, { sequence: start, asked, ...counts, before: undefined });
        continue;
      }
      way.seen++;
      if (asked >= SHORTER * way.asked) continue;
      own ??= sequence();
      way.sequence = { rung: own.rung, seed: own.seed, delays: own.delays };
      way.asked = asked;
    }
    return own;
  }

  private addWay(event: number, way: Way): void {
    this.ways.set(event, way);
    this.events.push(way);
  }

  private draw(hash: number): Drawn {
    switch ((finish(mix(hash, 7)) >>> 0) % 8) {
      case 0:
        return this.changed(hash) ?? this.flat();
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        return this.returned(hash) ?? this.flat();
      default:
        return this.flat();
    }
  }

  /** What a flat sweep runs next. */
  private flat(): Drawn {
    const flat = ++this.flatTrials;
    const seed = this.portfolio.seed(flat);
    const rung = (seed % 4) as Rung;
    const own = finish(mix(hashSeed(seed), this.seed));
    const strategy = makeStrategy(strategyOf(seed), own, this.profile, rung);
    return { rung, seed: own, strategy, flat };
  }

  /** A sequence that was kept, changed in a few places. */
  private changed(hash: number): Drawn | undefined {
    const parent = best(this.kept, hash, ({ used }) => used);
    if (parent === undefined) return undefined;
    parent.used++;
    const other = this.kept[(finish(mix(hash, 9)) >>> 0) % this.kept.length];
    const { rung, seed } = parent;
    const delays = mutate(parent, other, hash);
    return { rung, seed, strategy: sequenceStrategy({ delays, seed }) };
  }

  /** A sequence up to an event that is rare, and a strategy from there on. */
  private returned(hash: number): Drawn | undefined {
    const way =
      (finish(mix(hash, 10)) & 1) === 0
        ? this.events.findLast(({ tries }) => tries > 0)
        : best(this.events, hash, ({ seen, used }) => seen * (1 + used));
    if (way === undefined) return undefined;
    way.used++;
    way.tries--;
    const { rung, seed } = way.sequence;
    const at = Math.floor(way.asked * (1 - fraction(mix(hash, 12)) ** 2));
    const name = strategyOf(this.portfolio.seed(2 + ((finish(mix(hash, 8)) >>> 0) % 100)));
    const then = makeStrategy(name, hash, this.profile, rung);
    return { rung, seed, strategy: followedBy(way.sequence, at, then) };
  }

  private measure({ decisions }: Current): void {
    const { recorder, profile } = profileRecorder();
    for (const [decision, at] of decisions) recorder.choice(decision, at);
    [this.profile = NO_PROFILE] = [...profile.values()];
    this.single = this.profile.choices[this.order] === 0;
  }
}

const EMPTY: Drawn = { rung: NATIVE, seed: 0, strategy: noDeviation };

/** Of a few that are drawn the one with the lowest cost. */
function best<T>(from: readonly T[], hash: number, cost: (one: T) => number): T | undefined {
  let chosen: T | undefined;
  let lowest = Infinity;
  for (let i = 0; i < DRAWN && from.length > 0; i++) {
    const one = from[(finish(mix(hash, 20 + i)) >>> 0) % from.length];
    const own = cost(one);
    if (own < lowest) [chosen, lowest] = [one, own];
  }
  return chosen;
}
