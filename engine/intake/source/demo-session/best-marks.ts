// Keeps the upstream's coloured marks: which car holds the overall best value, and whether a car's latest value is its
// own best. A mark is written only when it changes. The car that loses the overall best is updated in the same message.

export interface MarkChange {
  readonly car: number;
  readonly fields: { readonly OverallFastest?: boolean; readonly PersonalFastest?: boolean };
}

interface Marks {
  best: number;
  overall: boolean;
  personal: boolean;
}

export class BestMarks {
  readonly #marks: Marks[];
  #best = Number.POSITIVE_INFINITY;
  #holder = -1;

  constructor(cars: number) {
    this.#marks = Array.from({ length: cars }, () => ({
      best: Number.POSITIVE_INFINITY,
      overall: false,
      personal: false,
    }));
  }

  /** Takes a car's new value (smaller is better). Returns the changed marks, those of this car first. */
  take(car: number, value: number): MarkChange[] {
    const marks = this.#marks[car]!;
    const personal = value < marks.best;
    const overall = value < this.#best;
    const changes: MarkChange[] = [
      {
        car,
        fields: {
          ...(overall === marks.overall ? {} : { OverallFastest: overall }),
          ...(personal === marks.personal ? {} : { PersonalFastest: personal }),
        },
      },
    ];
    if (overall) {
      const loser = this.#holder;
      if (loser !== -1 && loser !== car && this.#marks[loser]!.overall) {
        this.#marks[loser]!.overall = false;
        changes.push({ car: loser, fields: { OverallFastest: false } });
      }
      this.#best = value;
      this.#holder = car;
    }
    if (personal) marks.best = value;
    marks.overall = overall;
    marks.personal = personal;
    return changes;
  }

  /** Whether the car's latest value was its own best so far. */
  isPersonalBest(car: number): boolean {
    return this.#marks[car]!.personal;
  }
}
