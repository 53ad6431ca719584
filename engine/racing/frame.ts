// One message as the upstream sent it. The JSON stays the upstream's own text until the deriver parses it, so a
// recording holds exactly what was sent. Messages of `.z` topics stay compressed.

export interface Frame {
  /** Unix epoch milliseconds, with a fraction where the upstream gives one. */
  readonly utcMs: number;
  readonly topic: string;
  /** The message as JSON text: a snapshot or a delta. For a `.z` topic, a JSON string of base64. */
  readonly json: string;
}
