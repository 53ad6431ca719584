// A set of sequence numbers as bits: what was received, what was expected.

export class SequenceSet {
  #bits = new Uint32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** False when it was in the set before. */
  add(sequence: number): boolean {
    const word = sequence >>> 5;
    if (word >= this.#bits.length) {
      const wider = new Uint32Array(Math.max(word + 1, this.#bits.length * 2));
      wider.set(this.#bits);
      this.#bits = wider;
    }
    const bit = 1 << (sequence & 31);
    if ((this.#bits[word]! & bit) !== 0) return false;
    this.#bits[word]! |= bit;
    this.#size++;
    return true;
  }

  has(sequence: number): boolean {
    return ((this.#bits[sequence >>> 5] ?? 0) & (1 << (sequence & 31))) !== 0;
  }

  /** Those of the set that are not above `end`. */
  upTo(end: number): SequenceSet {
    const some = new SequenceSet();
    for (let sequence = 0; sequence <= end; sequence++) if (this.has(sequence)) some.add(sequence);
    return some;
  }

  /** How many of these are not in the other set. */
  without(other: SequenceSet): number {
    let count = 0;
    for (let word = 0; word < this.#bits.length; word++) {
      for (let rest = this.#bits[word]! & ~(other.#bits[word] ?? 0); rest !== 0; rest &= rest - 1) count++;
    }
    return count;
  }
}
