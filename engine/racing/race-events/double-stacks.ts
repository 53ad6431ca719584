// double_stack: during a race, two cars of one team entered the pits within ten seconds, the second before the first
// had left. Emitted when both have left. `drivers` names the car that entered first.

import type { MergedFrame, RaceEvent } from './race-event-rule.ts';

/** The longest time between two teammates at the pit entry at which the second has to wait for the first. */
const DOUBLE_STACK_MS = 10_000;

interface Visit {
  readonly number: string;
  readonly entryUtcMs: number;
  readonly exitUtcMs: number;
}

export class DoubleStacks {
  /** The latest ended visit of each team. */
  readonly #visits = new Map<string, Visit>();

  leave(number: string, entryUtcMs: number, { state, utcMs }: MergedFrame): RaceEvent | null {
    const { constructorId } = state.driver(number);
    if (constructorId === null) return null;
    const other = this.#visits.get(constructorId);
    this.#visits.set(constructorId, { number, entryUtcMs, exitUtcMs: utcMs });
    if (other === undefined || other.number === number || other.exitUtcMs <= entryUtcMs) return null;
    const apartMs = Math.round(Math.abs(entryUtcMs - other.entryUtcMs));
    if (apartMs > DOUBLE_STACK_MS) return null;
    const numbers = other.entryUtcMs <= entryUtcMs ? [other.number, number] : [number, other.number];
    return { type: 'double_stack', numbers, data: { apartMs } };
  }
}
