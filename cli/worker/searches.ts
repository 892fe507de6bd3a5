/**
 * The searches of one spec file: one for each test, suite-level hook and the loading of the file.
 *
 * Every trial takes each of them one step further. One that has ended runs as plain Node does, and
 * when all have, the file is done.
 */

import type { Given } from '../../runtime/explore/novelty/knowledge.js';
import { NoveltySearch, type SearchStart } from '../../runtime/explore/novelty/search.js';
import { emptyPlan, rungOfTrial, type ScopePlan } from '../../runtime/explore/plan.js';
import { NO_PROFILE, type Profile } from '../../runtime/explore/profile.js';
import { formatSchedule, nameDeviation } from '../../runtime/explore/schedule.js';
import { signatureOf } from '../../runtime/explore/signature.js';
import { Enumeration } from '../../runtime/explore/strategies/exhaustive.js';
import type { SearchName } from '../../runtime/explore/strategies/names.js';
import { deviates, Kind, type Decision, type Strategy } from '../../runtime/kernel/choice.js';
import { finish, hashString, mix } from '../../runtime/kernel/hash.js';
import type { Rung } from '../../runtime/kernel/rung.js';
import type { TrialResult } from '../../runtime/mocha/types.js';
import type { Scheduler } from '../../runtime/tasks/scheduler.js';
import type { ProjectSetup } from '../project.js';
import { pack, unpack, type KnownOfFile } from '../sweep/novelty-rounds.js';
import type { Coverage, SearchPart } from '../sweep/protocol.js';
import { failuresOf } from './collector.js';

/** The search of one scope. */
interface ScopeSearch {
  readonly search: NoveltySearch | Enumeration;
  readonly shapes: Set<number>;
  readonly outcomes: Set<string>;
  /** Whether it takes part in the trial that runs now. */
  taking: boolean;
}

export class ScopeSearches {
  private readonly scopes = new Map<string, ScopeSearch>();
  private readonly strategies = new Map<string, Strategy>();
  private decisions: Decision[] = [];
  private scheduler: Scheduler | undefined;

  constructor(
    private readonly name: SearchName,
    private readonly setup: ProjectSetup,
    private readonly profile: Profile,
    private readonly part?: SearchPart,
  ) {
    const known = part && unpack<KnownOfFile>(part.known);
    for (const [title, scope] of profile) {
      if (scope.choices[setup.order] === 0) continue;
      if (part === undefined) this.scopes.set(title, this.newSearch(title));
      else {
        const given = known!.has(title) ? known!.get(title) : NOTHING;
        // The rounds before have seen all of it.
        if (given === undefined) continue;
        this.scopes.set(title, this.newSearch(title, { profile: scope, given }));
      }
    }
  }

  /** Whether there is nothing more to run. A part runs all of its trials. */
  get ended(): boolean {
    if (this.part !== undefined) return false;
    return [...this.scopes.values()].every(({ search }) => hasEnded(search));
  }

  /** The plan of the next trial. */
  begin(): ScopePlan {
    this.decisions = [];
    this.strategies.clear();
    for (const scope of this.scopes.values()) scope.taking = false;
    return (title) => {
      const scope = this.scopes.get(title);
      if (scope === undefined || (this.part === undefined && hasEnded(scope.search))) {
        return emptyPlan(title);
      }
      const begun = scope.search.begin();
      const plan = 'rung' in begun ? begun : { rung: this.setup.order, strategy: begun };
      scope.taking = true;
      this.strategies.set(title, plan.strategy);
      return plan;
    };
  }

  /** Attaches to a trial. */
  readonly observe = (scheduler: Scheduler): void => {
    this.scheduler = scheduler;
    scheduler.loop.recorder = {
      choice: (decision, at) => {
        this.decisions.push(decision);
        const search = this.scopes.get(decision.task.scope.title)?.search;
        if (search instanceof NoveltySearch) search.choice(decision, at);
      },
    };
  };

  /** What the trial came to. */
  end(result: TrialResult): void {
    this.scheduler!.loop.endHeld();
    const failures = new Map(
      failuresOf(result).map(({ title, failure }) => [title, signatureOf(failure, title)]),
    );
    for (const [title, scope] of this.scopes) {
      if (!scope.taking) continue;
      const shape = result.shapes.get(title) ?? 0;
      const outcome = failures.get(title) ?? 'passed';
      scope.shapes.add(shape);
      scope.outcomes.add(outcome);
      if (scope.search instanceof NoveltySearch) scope.search.end(shape, outcome);
      else scope.search.end();
    }
  }

  /** What was run, as text. */
  readonly schedule = (): string => {
    const deviations = this.decisions
      .filter((d) => deviates(d) && d.value >= 0)
      .map((d) => nameDeviation(d, ''));
    const bytes = [...this.strategies]
      .filter(([, { bytesSeed }]) => bytesSeed !== 0)
      .map(([scope, { bytesSeed }]) => {
        const place = { site: '', task: '', occurrence: 1 };
        return { kind: Kind.Bytes, scope, ...place, value: bytesSeed };
      });
    const rung = this.decisions.reduce<Rung>(
      (highest, d) => (d.value > 0 && d.rung > highest ? d.rung : highest),
      1,
    );
    return formatSchedule({ rung, deviations: [...deviations, ...bytes] });
  };

  /** How far the searches have come, for each scope with a choice. */
  coverage(): Coverage[] {
    return [...this.scopes].map(([title, { search, shapes, outcomes }]) => {
      if (search instanceof Enumeration) {
        const { explored, complete } = search;
        const found = { shapes: shapes.size, outcomes: outcomes.size };
        const rate = { newLately: 0, lately: explored, seen: complete ? 1 : 0 };
        return { title, ended: complete ? 'all' : 'trials', trials: explored, ...found, ...rate };
      }
      const { trials, distinctOutcomes, newLately, lately, seen } = search.saturation;
      const ended = search.oneSchedule ? 'one schedule' : search.ended ? 'dry' : 'trials';
      const found = { shapes: search.saturation.shapes, outcomes: distinctOutcomes };
      return { title, ended, trials, ...found, newLately, lately, seen };
    });
  }

  /** What a part of the search has found. */
  found(): Buffer {
    const found = [...this.scopes].flatMap(([title, { search }]) =>
      search instanceof NoveltySearch ? [[title, search.found] as const] : [],
    );
    return pack(new Map(found));
  }

  private newSearch(title: string, start?: SearchStart): ScopeSearch {
    const { seed, order } = this.setup;
    const own = mix(seed, hashString(title));
    const search =
      this.name === 'exhaustive'
        ? new Enumeration(this.profile.get(title) ?? NO_PROFILE)
        : new NoveltySearch(
            finish(this.part === undefined ? own : mix(own, this.part.batch)) >>> 0,
            order,
            (trial) => rungOfTrial(trial, order),
            start,
          );
    return { search, shapes: new Set(), outcomes: new Set(), taking: false };
  }
}

/** What the searches of a first round begin with. */
const NOTHING: Given = { shapes: [], kept: [], ways: new Map() };

function hasEnded(search: NoveltySearch | Enumeration): boolean {
  return search instanceof Enumeration ? search.complete : search.ended;
}
