// The progress of a live session in shared memory: the thread that follows the session writes it with each frame, other
// threads read it.

const FRAMES = 0;
const UPDATES = 1;
const LAST_FRAME_MS = 2;
const CELLS = 3;

export class SessionProgress {
  readonly memory: SharedArrayBuffer;
  readonly #cells: Float64Array;

  constructor(memory = new SharedArrayBuffer(CELLS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new Float64Array(memory);
  }

  write(frames: number, updates: number, lastFrameMs: number): void {
    this.#cells[FRAMES] = frames;
    this.#cells[UPDATES] = updates;
    this.#cells[LAST_FRAME_MS] = lastFrameMs;
  }

  get frames(): number {
    return this.#cells[FRAMES]!;
  }

  get updates(): number {
    return this.#cells[UPDATES]!;
  }

  /** Monotonic time of the latest frame. */
  get lastFrameMs(): number {
    return this.#cells[LAST_FRAME_MS]!;
  }
}
