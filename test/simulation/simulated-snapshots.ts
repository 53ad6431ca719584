// The main thread's part in snapshots: it makes them as `api/sessions/snapshot-maker.ts` does, and answers after a while.
// Until the faults end, some answers say that it failed, some are late, and some never come.

import { SNAPSHOTS_ANSWER_MS } from '#engine/base/limits.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { openTimeline, type SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import { makeSnapshots, type Snapshots } from '#engine/timeline/snapshots.ts';
import { Chance } from './chance.ts';
import type { World } from './world.ts';

export class SimulatedSnapshots {
  readonly #world: World;
  readonly #chance: Chance;

  constructor(world: World) {
    this.#world = world;
    this.#chance = new Chance(world.scenario.seed, `snapshots ${world.observed.threads.length}`);
  }

  make(timeline: SharedTimeline, position: number): Promise<Snapshots | null> {
    const { time, scenario, observed } = this.#world;
    const make = (): Snapshots | null =>
      makeSnapshots(new FoldedStates(), 'the session', openTimeline(timeline), position);
    const answer = (afterMs: number, made: Snapshots | null) =>
      new Promise<Snapshots | null>((resolve) => time.schedule(afterMs, () => resolve(made)));
    const isFaulty = time.nowMs() < scenario.faultsEndMs && this.#chance.happens(scenario.snapshotsFail);
    if (!isFaulty) return answer(this.#chance.pick([0, 1, 20, 300]) * this.#chance.next(), make());
    observed.snapshotsFailed++;
    const fault = this.#chance.pick(['failed', 'late', 'never'] as const);
    if (fault === 'failed') return answer(5, null);
    return fault === 'late' ? answer(SNAPSHOTS_ANSWER_MS + 9_000 * this.#chance.next(), make()) : new Promise(() => {});
  }
}
