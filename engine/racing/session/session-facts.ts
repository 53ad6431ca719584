// Where the upstream's topics hold the facts that every payload needs: the drivers, their positions, the lap, and the
// status of the session. Each series has one such table.

/** A field of a topic. */
export interface FieldPlace {
  readonly topic: string;
  readonly field: string;
}

/** A field of each entry of a list in a topic. */
export interface ListedField extends FieldPlace {
  readonly list: string;
}

export interface KindFacts extends FieldPlace {
  readonly race: string;
  readonly qualifying: string;
  /**
   * Where qualifying, and nothing else, has the number of its part, above 0: in the topic, or in each entry of a list in
   * it. This tells the kind until it is named, as the leader's lap does for a race. A recording that begins in the middle
   * may never name it.
   */
  readonly parts: readonly (FieldPlace | ListedField)[];
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
    /** A list that has the status as well, for recordings without the topic above. Null: there is none. */
    readonly log: ListedField | null;
  };
  /** The kind of session, and the words for it. Null: all sessions are races. */
  readonly kind: KindFacts | null;
  /** The topic with what was known of the field before the session. Null: there is none. */
  readonly preview: string | null;
}

/** Returns the topics that are read for facts, including those without a feed. */
export function factTopics({ drivers, timing, lap, status, kind, preview }: SessionFacts): readonly string[] {
  const ofKind = kind === null ? [] : [kind.topic, ...kind.parts.map(({ topic }) => topic)];
  const ofLog = status.log === null ? [] : [status.log.topic];
  const ofPreview = preview === null ? [] : [preview];
  return [drivers.topic, timing.topic, lap.topic, status.topic, ...ofLog, ...ofKind, ...ofPreview];
}
