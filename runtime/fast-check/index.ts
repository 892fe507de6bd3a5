/**
 * `detsim/fast-check`: schedules as an arbitrary, so that a property over inputs is one over
 * schedules too, and both are shrunk together.
 */

import { Arbitrary, stream, Value, type Random, type Stream } from 'fast-check';
import { RUNGS, type RungName } from '../kernel/rung.js';
import { MAX_SEED, rungOfTrial, seedOf } from '../explore/plan.js';
import { SEEDED } from '../explore/strategies/index.js';
import { Schedule } from '../simulate/schedules.js';

/**
 * Schedules for the option `schedule` of `simulate`. Each is drawn with the rung and the strategy
 * of one trial of a sweep. A schedule under which a property fails is shrunk by leaving out
 * deviations; the empty one, which is plain Node, comes first.
 * @param options `order`: the highest rung that is drawn, `stubs` by default
 */
export function schedules({ order = 'stubs' }: { order?: RungName } = {}): Arbitrary<Schedule> {
  return new Schedules(order);
}

class Schedules extends Arbitrary<Schedule> {
  constructor(private readonly order: RungName) {
    super();
  }

  override generate(random: Random): Value<Schedule> {
    const trial = random.nextInt(2, 1000);
    const rung = rungOfTrial(trial, RUNGS.indexOf(this.order) as 0 | 1 | 2 | 3);
    const strategy = SEEDED[random.nextInt(0, SEEDED.length - 1)];
    const base = random.nextInt(0, 2 ** 31 - 1) % MAX_SEED;
    return new Value(new Schedule(seedOf(base, trial, rung, strategy)), undefined);
  }

  override canShrinkWithoutContext(value: unknown): value is Schedule {
    return value instanceof Schedule;
  }

  override shrink(value: Schedule): Stream<Value<Schedule>> {
    return stream(value.shrink()).map((one) => new Value(one, undefined));
  }
}
