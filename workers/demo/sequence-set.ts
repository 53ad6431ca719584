// A set of sequence numbers as a bitmap: the updates that were received, or expected.

export class SequenceSet {
  #bits = new Uint32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns false when the number was in the set already. */
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

  /** The numbers up to and including `end`. */
  upTo(end: number): SequenceSet {
    const some = new SequenceSet();
    for (let sequence = 0; sequence <= end; sequence++) if (this.has(sequence)) some.add(sequence);
    return some;
  }

  /** How many numbers are in this set but not in the other. */
  without(other: SequenceSet): number {
    let count = 0;
    for (let word = 0; word < this.#bits.length; word++) {
      for (let rest = this.#bits[word]! & ~(other.#bits[word] ?? 0); rest !== 0; rest &= rest - 1) count++;
    }
    return count;
  }
}
