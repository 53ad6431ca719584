// double_stack: two cars of one team entered the pits within ten seconds during a race, the second before the first had
// left, and both have left again. Told when the later one leaves; `drivers` names the one who entered first.

import type { MergedFrame, RaceEvent } from './race-event-rule.ts';

/** Time between two team mates at the pit entry within which the second waits for the first. */
const DOUBLE_STACK_MS = 10_000;

interface Visit {
  readonly number: string;
  readonly entryUtcMs: number;
  readonly exitUtcMs: number;
}

export class DoubleStacks {
  /** The latest visit that ended, of each team. */
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
