// Moves a dot from one sample to the next in the time that passed between the last two, so that it neither stops nor
// jumps. It is one sample late.

import type { Point } from './outline.ts';

/** Samples are a second apart, a tenth at ten times the speed. */
const GLIDE_MS_MIN = 50;
const GLIDE_MS_MAX = 1_500;

export class Glide {
  #from: Point;
  #to: Point;
  #begunMs: number;
  #durationMs = GLIDE_MS_MIN;

  constructor(at: Point, nowMs: number) {
    this.#from = at;
    this.#to = at;
    this.#begunMs = nowMs;
  }

  /** A new sample. `jumpsFrom`: a distance that no car drives between two samples, as after a seek. */
  aim(to: Point, nowMs: number, jumpsFrom: number): void {
    const here = this.at(nowMs);
    this.#from = Math.hypot(to.x - here.x, to.y - here.y) > jumpsFrom ? to : here;
    this.#to = to;
    this.#durationMs = Math.min(GLIDE_MS_MAX, Math.max(GLIDE_MS_MIN, nowMs - this.#begunMs));
    this.#begunMs = nowMs;
  }

  at(nowMs: number): Point {
    const share = Math.min(1, (nowMs - this.#begunMs) / this.#durationMs);
    return {
      x: this.#from.x + (this.#to.x - this.#from.x) * share,
      y: this.#from.y + (this.#to.y - this.#from.y) * share,
    };
  }

  isMoving(nowMs: number): boolean {
    return nowMs - this.#begunMs < this.#durationMs;
  }
}
