// How many updates each stream has sent of each feed since they were last taken, in one array of numbers: nothing is
// posted between threads for a single update.

const NUMBERS = 4;

export class SentUpdates {
  /** By call: by twice the feed's number, plus one for the demo session. */
  readonly #counts = new Map<number, Map<number, number>>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add(call: number, feed: number, isDemo: boolean, updates: number): void {
    let counts = this.#counts.get(call);
    if (counts === undefined) {
      counts = new Map();
      this.#counts.set(call, counts);
    }
    const key = 2 * feed + (isDemo ? 1 : 0);
    counts.set(key, (counts.get(key) ?? 0) + updates);
  }

  take(): Float64Array {
    const numbers: number[] = [];
    for (const [call, counts] of this.#counts) {
      for (const [key, updates] of counts) numbers.push(call, Math.floor(key / 2), key % 2, updates);
    }
    this.#counts.clear();
    return Float64Array.from(numbers);
  }
}

export function eachSent(
  numbers: Float64Array,
  sent: (call: number, feed: number, isDemo: boolean, updates: number) => void,
): void {
  for (let i = 0; i < numbers.length; i += NUMBERS)
    sent(numbers[i]!, numbers[i + 1]!, numbers[i + 2]! === 1, numbers[i + 3]!);
}
