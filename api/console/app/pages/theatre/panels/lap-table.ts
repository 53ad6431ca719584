// A value of each driver at the end of each lap.

/** No race has more laps; a longer one keeps its first laps. */
const LAPS_MAX = 200;
const DRIVERS_MAX = 60;
/** A car whose last lap is further behind that of the leader drives no more. */
const LAPS_BEHIND_MAX = 3;

interface Cell {
  readonly value: number | null;
  /** When there was a first value. */
  readonly atMs: number;
}

export class LapTable {
  /** Counts changes. */
  version = 0;
  /** The last lap with a value; -1: none. */
  lastLap = -1;
  #byNumber = new Map<string, (Cell | null)[]>();

  reset(): void {
    this.#byNumber = new Map();
    this.lastLap = -1;
    this.version++;
  }

  /** Forgets what was not known yet at this time. */
  rewind(toMs: number): void {
    for (const [number, cells] of this.#byNumber) {
      const kept = cells.map((cell) => (cell !== null && cell.atMs <= toMs ? cell : null));
      while (kept.length > 0 && kept.at(-1) === null) kept.pop();
      if (kept.length === 0) this.#byNumber.delete(number);
      else this.#byNumber.set(number, kept);
    }
    this.lastLap = Math.max(-1, ...[...this.#byNumber.values()].map(({ length }) => length - 1));
    this.version++;
  }

  /** `atMs`: when it is known; a correction changes the value alone. */
  set(number: string, lap: number, value: number | null, atMs: number): void {
    if (!Number.isInteger(lap) || lap < 0 || lap > LAPS_MAX) return;
    let cells = this.#byNumber.get(number);
    if (cells === undefined) {
      if (this.#byNumber.size === DRIVERS_MAX) return;
      cells = [];
      this.#byNumber.set(number, cells);
    }
    while (cells.length < lap) cells.push(null);
    const known = cells[lap] ?? null;
    if (known !== null && known.value === value) return;
    cells[lap] = { value, atMs: known?.atMs ?? atMs };
    this.lastLap = Math.max(this.lastLap, lap);
    this.version++;
  }

  at(number: string, lap: number): number | null {
    return this.#byNumber.get(number)?.[lap]?.value ?? null;
  }

  /** The value of the last lap that is known; null: of none so near to the lap of the leader. */
  latest(number: string): number | null {
    const cells = this.#byNumber.get(number) ?? [];
    return cells.length < this.lastLap + 1 - LAPS_BEHIND_MAX ? null : (cells.at(-1)?.value ?? null);
  }

  /** From lap 0 to the last one; null where there is no value. */
  column(number: string): (number | null)[] {
    const cells = this.#byNumber.get(number) ?? [];
    return Array.from({ length: this.lastLap + 1 }, (_, lap) => cells[lap]?.value ?? null);
  }

  has(number: string): boolean {
    return this.#byNumber.has(number);
  }
}
