// Where the upstream's topics hold the facts that every payload needs: the drivers, their positions, the lap, and the
// status of the session. Each series has one such table.

/** A field of a topic. */
export interface FieldPlace {
  readonly topic: string;
  readonly field: string;
}

/** Where to find the facts of a session. Collections of drivers have racing numbers as keys. */
export interface SessionFacts {
  /** The drivers who take part. */
  readonly drivers: {
    readonly topic: string;
    readonly code: string;
    readonly team: string;
    /**
     * Lists of fields that together are the name, in order of preference. A list counts if all its fields are present.
     */
    readonly names: readonly (readonly string[])[];
    /** Field with the place in the list, which serves as the position until the timing has one. Null: there is none. */
    readonly line: string | null;
  };
  /** The drivers' positions and times. */
  readonly timing: {
    readonly topic: string;
    /** Field with the collection. Null: the topic itself is the collection. */
    readonly under: string | null;
    readonly position: string;
  };
  /** The lap that the leader is on. */
  readonly lap: FieldPlace;
  /** The status of the session, and the words for it. */
  readonly status: FieldPlace & {
    readonly upcoming: readonly string[];
    readonly running: string;
    /** Over, except for corrections. */
    readonly over: readonly string[];
  };
  /** The kind of session, and the word for a race. Null: all sessions are races. */
  readonly kind: (FieldPlace & { readonly race: string }) | null;
}

/** Returns the topics that are read for facts, including those without a feed. */
export function factTopics({ drivers, timing, lap, status, kind }: SessionFacts): readonly string[] {
  return [drivers.topic, timing.topic, lap.topic, status.topic, ...(kind === null ? [] : [kind.topic])];
}
