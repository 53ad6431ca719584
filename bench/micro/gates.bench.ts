// The checks whether an attempt may start now, and their reaction to its result: circuit breaker, in-flight cap and
// monthly allowance. The latencies are chosen so that the cap keeps growing and shrinking.

import { seededRandom } from '#engine/base/random.ts';
import { Breaker } from '#engine/delivery/endpoint/breaker.ts';
import { InFlightCap } from '#engine/delivery/endpoint/in-flight-cap.ts';
import { Allowance, allowanceCell } from '#engine/delivery/usage/allowance.ts';
import type { Operation } from './operation.ts';

const TIMES = 4_096;
const WALL_MS = Date.UTC(2026, 5, 7, 13);

export function prepare(): readonly Operation[] {
  return [admitAndSucceed(), widen(), allow()];
}

function admitAndSucceed(): Operation {
  const breaker = new Breaker();
  const lap = (): number => {
    let admitted = 0;
    for (let i = 0; i < TIMES; i++) {
      const nowMs = 0.5 + i * 0.03;
      if (!breaker.admits(nowMs)) continue;
      breaker.started(nowMs);
      breaker.succeeded();
      admitted++;
    }
    return admitted;
  };
  return { name: 'breaker, an attempt and its success', times: TIMES, answer: TIMES, bytes: 0, lap };
}

function widen(): Operation {
  const cap = new InFlightCap();
  const random = seededRandom(1);
  const latenciesMs = Float64Array.from({ length: TIMES }, () => 1 + 3 * random.next());
  const lap = (): number => {
    let within = 0;
    for (let i = 0; i < TIMES; i++) {
      cap.succeeded(latenciesMs[i]!, latenciesMs[i]!, true, 1);
      if (cap.value >= 1) within++;
    }
    return within;
  };
  return { name: 'in-flight cap, an answer', times: TIMES, answer: TIMES, bytes: 0, lap };
}

function allow(): Operation {
  const allowance = new Allowance(allowanceCell());
  const lap = (): number => {
    let taken = 0;
    for (let i = 0; i < TIMES; i++) if (!allowance.exhausted(WALL_MS) && allowance.take(WALL_MS)) taken++;
    for (let i = 0; i < TIMES; i++) allowance.giveBack(WALL_MS);
    return taken;
  };
  return { name: 'allowance, taken and given back', times: TIMES, answer: TIMES, bytes: 0, lap };
}
