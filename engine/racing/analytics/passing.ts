// What passing on the track takes, and how laps scatter. Both figures were published with TU Munich's race simulation
// (github.com/TUMFTM/race-simulation).

/** The pace advantage needed for a pass at Baku was 1.62 s a lap. We use it as the time that a pass costs. */
export const PASS_SECONDS = 1.6;
/** Standard deviation of a driver's single laps. */
export const LAP_DEVIATION_SECONDS = 0.5;
