// One simulation: plays a scenario, then checks what was observed.

import { checkAttempts } from './check-attempts.ts';
import { checkBreaker } from './check-breaker.ts';
import { checkJoins } from './check-joins.ts';
import { checkOrder } from './check-order.ts';
import { checkPunctuality } from './check-punctuality.ts';
import { checkReasons } from './check-reasons.ts';
import { checkRecords, checkUsage } from './check-records.ts';
import { checkResends } from './check-resends.ts';
import { checkSnapshots } from './check-snapshots.ts';
import { checkSlots, checkTurns } from './check-turns.ts';
import { plannedTimeline } from './planned-timeline.ts';
import type { Scenario } from './scenario.ts';
import { World } from './world.ts';

export interface SimulationResult {
  /** Violated invariants and rules; empty if all is well. */
  readonly violations: readonly string[];
  /** Timers of the simulated clock that fired. */
  readonly steps: number;
  readonly attempts: number;
  readonly simulatedMs: number;
  /** A line for each event; empty unless traced. */
  readonly trace: readonly string[];
}

export async function simulate(scenario: Scenario, traced = false): Promise<SimulationResult> {
  const world = new World(scenario, await plannedTimeline(scenario.timeline), traced);
  await world.play();
  checkAttempts(world);
  checkOrder(world);
  checkJoins(world);
  checkTurns(world);
  checkSlots(world);
  // If a run never ended, its counts cannot add up yet.
  if (!world.observed.violations.some((violation) => violation.startsWith('liveness'))) {
    checkBreaker(world);
    checkReasons(world);
    checkSnapshots(world);
    checkRecords(world);
    checkUsage(world);
    checkResends(world);
    checkPunctuality(world);
  }
  return {
    violations: world.observed.violations,
    steps: world.steps,
    attempts: world.observed.attempts.length,
    simulatedMs: world.time.nowMs(),
    trace: world.observed.trace ?? [],
  };
}
