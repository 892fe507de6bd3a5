/**
 * Novelty search over the schedules of one scope.
 *
 * It keeps the choice sequences that showed a shape no earlier one had, and alternates between
 * changing one of these a little and a sequence drawn by one of the strategies.
 */

import { noDeviation, type Decision, type Strategy } from '../../kernel/choice.js';
import { finish, hashSeed, mix } from '../../kernel/hash.js';
import { NATIVE, type Rung } from '../../kernel/rung.js';
import { NO_PROFILE, profileRecorder, type ScopeProfile } from '../profile.js';
import { makeStrategy, SEEDED } from '../strategies/index.js';
import { mutate, sequenceOf, sequenceStrategy, type Sequence } from './mutate.js';
import { Saturation } from './saturation.js';

/** Of so many trials one is drawn anew, where there is something to change. */
const FRESH_ONE_IN = 3;

/** How many sequences are kept. */
const KEPT = 500;

interface Kept extends Sequence {
  /** How often it was changed. */
  used: number;
}

interface Current {
  readonly rung: Rung;
  readonly seed: number;
  readonly strategy: Strategy;
  readonly decisions: (readonly [Decision, number])[];
}

export class NoveltySearch {
  readonly saturation = new Saturation();
  private readonly kept: Kept[] = [];
  private profile: ScopeProfile = NO_PROFILE;
  private current: Current | undefined;
  /** No choice of the first trial could deviate. */
  private single = false;

  /**
   * @param seed of the search
   * @param order the highest rung
   * @param rungOf the rung of a trial that is drawn anew
   */
  constructor(
    private readonly seed: number,
    private readonly order: Rung,
    private readonly rungOf: (trial: number) => Rung = () => order,
  ) {}

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
    const trial = this.saturation.trials + 1;
    const hash = finish(mix(hashSeed(this.seed), trial));
    const { rung, seed, strategy } = trial === 1 ? EMPTY : this.draw(trial, hash);
    this.current = { rung, seed, strategy, decisions: [] };
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
    if (this.saturation.trials === 0) this.measure(current);
    const fresh = this.saturation.add(shape, outcome);
    if (fresh && this.kept.length < KEPT) {
      const { decisions, seed, rung } = current;
      const sequence = sequenceOf(decisions, rung === NATIVE ? this.order : rung, seed);
      this.kept.push({ ...sequence, used: 0 });
    }
    return fresh;
  }

  private draw(trial: number, hash: number): Omit<Current, 'decisions'> {
    const parent = this.leastUsed(hash);
    if (parent === undefined || (finish(mix(hash, 7)) >>> 0) % FRESH_ONE_IN === 0) {
      const rung = this.rungOf(trial);
      const name = SEEDED[(finish(mix(hash, 8)) >>> 0) % SEEDED.length];
      return { rung, seed: hash, strategy: makeStrategy(name, hash, this.profile, rung) };
    }
    parent.used++;
    const other = this.kept[(finish(mix(hash, 9)) >>> 0) % this.kept.length];
    const { rung, seed } = parent;
    const delays = mutate(parent, other, hash);
    return { rung, seed, strategy: sequenceStrategy({ delays, seed }) };
  }

  /** Of a few that are drawn the one that was changed least; those with nothing to change are out. */
  private leastUsed(hash: number): Kept | undefined {
    let best: Kept | undefined;
    for (let i = 0; i < 3; i++) {
      const one = this.kept[(finish(mix(hash, 20 + i)) >>> 0) % Math.max(1, this.kept.length)];
      if (one === undefined || one.asked.length === 0) continue;
      if (best === undefined || one.used < best.used) best = one;
    }
    return best;
  }

  private measure({ decisions }: Current): void {
    const { recorder, profile } = profileRecorder();
    for (const [decision, at] of decisions) recorder.choice(decision, at);
    [this.profile = NO_PROFILE] = [...profile.values()];
    this.single = this.profile.choices[this.order] === 0;
  }
}

const EMPTY = { rung: NATIVE, seed: 0, strategy: noDeviation };
