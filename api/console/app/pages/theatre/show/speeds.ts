// The speeds of replays.

/** As the API bounds them. */
export const REPLAY_SPEED_MIN = 0.1;
export const REPLAY_SPEED_MAX = 10;

/** Those that can be chosen. */
export const SPEEDS = [0.5, 1, 2, 5, 10] as const;
