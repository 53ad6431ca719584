// How fast a replay may be. Without any schema, so that programs of the client's package can have it, too.

/** The highest replay speed, as a multiple of the session's own pace. */
export const REPLAY_SPEED_MAX = 10;
/** The lowest one: a run holds its session in memory until it ends. */
export const REPLAY_SPEED_MIN = 0.1;
