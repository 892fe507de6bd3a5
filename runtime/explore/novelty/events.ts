/**
 * What a run has shown, as a set of events that a search can aim for: a task has come to a place
 * for the first, second, third or fourth time, or about twice as often as that; and a step at one
 * place has followed one at another, of another task.
 *
 * Shapes are too fine to steer by: where much interleaves, every run has one of its own. What is
 * counted here is what greybox fuzzers look at: how often a place was reached, in steps that grow
 * (AFL), and which pairs of accesses came one after the other (Wolff and others, "Greybox fuzzing
 * for concurrency testing", ASPLOS 2024).
 */

import type { Site, Strategy, Subject } from '../../kernel/choice.js';
import { mix } from '../../kernel/hash.js';

/** In how many trials each event was seen. */
export type EventCounts = Map<number, number>;

/** Collects the events of one run. */
export class RunEvents {
  /** By event: how many choices had been asked for when it happened first. */
  readonly first = new Map<number, number>();
  private readonly visits = new Map<number, number>();
  private lastTask = 0;
  private lastSite = 0;

  private asked = 0;

  /** The same strategy, watched. */
  watch(strategy: Strategy): Strategy {
    return {
      bytesSeed: strategy.bytesSeed,
      delay: (choice) => {
        this.asked++;
        return strategy.delay(choice);
      },
      ...(strategy.pick && { pick: (ready, now, next) => strategy.pick!(ready, now, next) }),
      value: (key, occurrence) => strategy.value(key, occurrence),
      strikes: (...fault) => strategy.strikes(...fault),
      latency: (...operation) => strategy.latency(...operation),
      stepped: (task, site) => this.step(task, site),
    };
  }

  private step(task: Subject, site: Site): void {
    this.visit(mix(task.hash, site.hash), site.hash);
    this.visit(site.hash, ~site.hash);
    if (task.hash !== this.lastTask) this.note(mix(mix(this.lastSite, site.hash), -1));
    this.lastTask = task.hash;
    this.lastSite = site.hash;
  }

  private visit(place: number, label: number): void {
    const visits = (this.visits.get(place) ?? 0) + 1;
    this.visits.set(place, visits);
    if (isLevel(visits)) this.note(mix(label, visits));
  }

  private note(event: number): void {
    if (!this.first.has(event)) this.first.set(event, this.asked);
  }
}

/** Each number up to 16, and then four for each doubling. */
function isLevel(visits: number): boolean {
  if (visits <= 16) return true;
  const step = 2 ** (29 - Math.clz32(visits));
  return visits % step === 0;
}
