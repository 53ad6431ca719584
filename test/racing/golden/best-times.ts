// Tracks who holds the best times, for the upstream's marks and ranks.

export interface Marks {
  readonly OverallFastest?: boolean;
  readonly PersonalFastest?: boolean;
}

export class BestTimes {
  readonly #best = new Map<string, number>();
  readonly #marked = new Map<string, { overall: boolean; personal: boolean }>();
  #fastest = Number.POSITIVE_INFINITY;

  /** Takes a time. Returns the marks that it changes, by racing number: those of the car and of the car it beats. */
  take(number: string, seconds: number): Readonly<Record<string, Marks>> {
    const now = { overall: seconds < this.#fastest, personal: seconds < this.best(number) };
    const changes: Record<string, Marks> = { [number]: this.#change(number, now) };
    if (now.overall) {
      this.#fastest = seconds;
      for (const [other, { overall, personal }] of this.#marked) {
        if (other !== number && overall) changes[other] = this.#change(other, { overall: false, personal });
      }
    }
    if (now.personal) this.#best.set(number, seconds);
    return changes;
  }

  best(number: string): number {
    return this.#best.get(number) ?? Number.POSITIVE_INFINITY;
  }

  /** Returns ranks from 1, by racing number. */
  ranks(): ReadonlyMap<string, number> {
    const order = [...this.#best].sort(([, a], [, b]) => a - b);
    return new Map(order.map(([number], index) => [number, index + 1]));
  }

  /** Returns only the marks that changed, because the upstream sends only those. */
  #change(number: string, { overall, personal }: { overall: boolean; personal: boolean }): Marks {
    const before = this.#marked.get(number) ?? { overall: false, personal: false };
    this.#marked.set(number, { overall, personal });
    return {
      ...(overall === before.overall ? {} : { OverallFastest: overall }),
      ...(personal === before.personal ? {} : { PersonalFastest: personal }),
    };
  }
}
