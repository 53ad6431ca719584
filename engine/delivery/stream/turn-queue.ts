// Streams that wait for a turn, in order, each in one queue at most. A hundred of them come and go sixty times a second: a Set
// allocates a new table each time it fills or empties, this does not.

import type { UpdateStream } from './update-stream.ts';

/** Where a stream waits. Only the hub and its queues change it. */
export class StreamSeat<Moment = unknown> {
  readonly stream: UpdateStream;
  /** The queue that it is in, and its place there. */
  queue: TurnQueue | null = null;
  place = 0;
  /** What it waits for, and its place among those that wait for the same. */
  moment: Moment | null = null;
  placeInMoment = 0;

  constructor(stream: UpdateStream) {
    this.stream = stream;
  }
}

const FIRST_CAPACITY = 16;

export class TurnQueue {
  /** A ring, with null where a seat was removed. Its length is a power of two. */
  #seats: (StreamSeat | null)[] = new Array(FIRST_CAPACITY).fill(null);
  #head = 0;
  #tail = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** A seat in another queue leaves it. One that is in this queue keeps its place. */
  push(seat: StreamSeat): void {
    if (seat.queue === this) return;
    seat.queue?.remove(seat);
    if (this.#tail - this.#head === this.#seats.length) this.#makeRoom();
    seat.queue = this;
    seat.place = this.#tail;
    this.#seats[this.#tail % this.#seats.length] = seat;
    this.#tail++;
    this.#size++;
  }

  /** Removes and returns the first; null if there is none. */
  shift(): StreamSeat | null {
    while (this.#head < this.#tail) {
      const seat = this.#seats[this.#head % this.#seats.length]!;
      this.#head++;
      if (seat === null) continue;
      this.remove(seat);
      return seat;
    }
    return null;
  }

  /** Only of a seat that is in this queue. */
  remove(seat: StreamSeat): void {
    this.#seats[seat.place % this.#seats.length] = null;
    seat.queue = null;
    this.#size--;
  }

  #makeRoom(): void {
    const seats = this.#seats.filter((seat) => seat !== null).sort((a, b) => a.place - b.place);
    const capacity = seats.length * 2 > this.#seats.length ? this.#seats.length * 2 : this.#seats.length;
    this.#seats = new Array(capacity).fill(null);
    for (const [place, seat] of seats.entries()) {
      seat.place = place;
      this.#seats[place] = seat;
    }
    this.#head = 0;
    this.#tail = seats.length;
  }
}
