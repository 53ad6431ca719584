// What passing on the track takes, and how laps scatter: both as published with TU Munich's race simulation
// (github.com/TUMFTM/race-simulation).

/** The advantage that a pass took at Baku, 1.62 s a lap; read as the time that a pass costs. */
export const PASS_SECONDS = 1.6;
/** Standard deviation of a driver's single laps. */
export const LAP_DEVIATION_SECONDS = 0.5;
