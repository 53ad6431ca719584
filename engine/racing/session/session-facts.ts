// Where the facts that every payload needs are found in the upstream's topics: who takes part, who is where, the lap, and how far
// the session is. Each series has a table of them.

/** A field of a topic. */
export interface FieldPlace {
  readonly topic: string;
  readonly field: string;
}

/** Where to find the facts of a session. Collections of drivers have racing numbers as keys. */
export interface SessionFacts {
  /** Who takes part. */
  readonly drivers: {
    readonly topic: string;
    readonly code: string;
    readonly team: string;
    /** Fields that are the name together, the better way first; used when all of them are there. */
    readonly names: readonly (readonly string[])[];
    /** Field with the place in the list, which stands for the position until the timing tells it; null: none. */
    readonly line: string | null;
  };
  /** Who is where. */
  readonly timing: {
    readonly topic: string;
    /** Field with the collection; null: the topic itself is the collection. */
    readonly under: string | null;
    readonly position: string;
  };
  /** The lap that the leader is on. */
  readonly lap: FieldPlace;
  /** How far the session is, and the words for it. */
  readonly status: FieldPlace & {
    readonly upcoming: readonly string[];
    readonly running: string;
    /** Over but for corrections. */
    readonly over: readonly string[];
  };
  /** What kind of session it is, and the word for one in which positions are raced for; null: all are. */
  readonly kind: (FieldPlace & { readonly race: string }) | null;
}

/** The topics that are read for facts, whether they feed something or not. */
export function factTopics({ drivers, timing, lap, status, kind }: SessionFacts): readonly string[] {
  return [drivers.topic, timing.topic, lap.topic, status.topic, ...(kind === null ? [] : [kind.topic])];
}
