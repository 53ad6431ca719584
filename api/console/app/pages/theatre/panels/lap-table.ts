// A value of each driver at the end of each lap.

/** No race has more laps; a longer one keeps its first laps. */
const LAPS_MAX = 200;
const DRIVERS_MAX = 60;

export class LapTable {
  /** Counts changes. */
  version = 0;
  /** The last lap with a value; -1: none. */
  lastLap = -1;
  #byNumber = new Map<string, (number | null)[]>();

  reset(): void {
    this.#byNumber = new Map();
    this.lastLap = -1;
    this.version++;
  }

  set(number: string, lap: number, value: number | null): void {
    if (!Number.isInteger(lap) || lap < 0 || lap > LAPS_MAX) return;
    let values = this.#byNumber.get(number);
    if (values === undefined) {
      if (this.#byNumber.size === DRIVERS_MAX) return;
      values = [];
      this.#byNumber.set(number, values);
    }
    while (values.length < lap) values.push(null);
    if (values[lap] === value) return;
    values[lap] = value;
    this.lastLap = Math.max(this.lastLap, lap);
    this.version++;
  }

  at(number: string, lap: number): number | null {
    return this.#byNumber.get(number)?.[lap] ?? null;
  }

  /** From lap 0 to the last one; null where there is no value. */
  column(number: string): (number | null)[] {
    const values = this.#byNumber.get(number) ?? [];
    return Array.from({ length: this.lastLap + 1 }, (_, lap) => values[lap] ?? null);
  }

  has(number: string): boolean {
    return this.#byNumber.has(number);
  }
}
