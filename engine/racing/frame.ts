// One message as the upstream sent it. The JSON stays the upstream's own text until the session stage parses it, so that
// a recording holds exactly what was said; `.z` topics keep their compressed form.

export interface Frame {
  /** Unix epoch milliseconds, with a fraction where the upstream gives one. */
  readonly utcMs: number;
  readonly topic: string;
  /** The message as JSON text: a full state or a delta; for a `.z` topic a JSON string of base64. */
  readonly json: string;
}
