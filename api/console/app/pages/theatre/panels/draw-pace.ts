// Says when a panel is drawn: only when it has changed, only while it can be seen, and not more often than it needs.

export interface PaceParts {
  /** Counts changes of what is drawn. */
  readonly version: () => number;
  readonly draw: () => void;
  readonly everyMs: number;
  readonly nowMs: () => number;
  /** Returns how to cancel. */
  readonly later: (run: () => void, delayMs: number) => () => void;
}

export class DrawPace {
  readonly #parts: PaceParts;
  #isSeen = false;
  #drawnVersion: number;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(parts: PaceParts) {
    this.#parts = parts;
    this.#drawnVersion = parts.version();
  }

  /** Updates came. */
  changed(): void {
    const { version, everyMs, nowMs, later } = this.#parts;
    if (!this.#isSeen || this.#cancel !== null || version() === this.#drawnVersion) return;
    const waitMs = this.#drawnMs + everyMs - nowMs();
    if (waitMs <= 0) this.#draw();
    else
      this.#cancel = later(() => {
        this.#cancel = null;
        if (this.#isSeen) this.#draw();
      }, waitMs);
  }

  seen(isSeen: boolean): void {
    this.#isSeen = isSeen;
    if (isSeen) this.changed();
  }

  stop(): void {
    this.#isSeen = false;
    this.#cancel?.();
    this.#cancel = null;
  }

  #draw(): void {
    this.#drawnVersion = this.#parts.version();
    this.#drawnMs = this.#parts.nowMs();
    this.#parts.draw();
  }
}
