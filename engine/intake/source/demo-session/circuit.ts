// The circuit of the built-in session: an invented street circuit of three sectors with six timing lines each. Lines
// are numbered from the start of the race: line 0 is the start, line LINES_PER_LAP the end of lap 1.

export const CIRCUIT_NAME = 'Port Meridian';

export const RACE_LAPS = 10;
export const SECTORS = 3;
export const LINES_PER_SECTOR = 6;
export const LINES_PER_LAP = SECTORS * LINES_PER_SECTOR;
export const LAST_LINE = RACE_LAPS * LINES_PER_LAP;

/** A clean lap of the best car and driver on new soft tyres. */
export const BASE_LAP_MS = 73_600;

/** Each stretch between two lines as thousandths of a lap. */
const STRETCHES: readonly number[] = [62, 48, 55, 51, 60, 47, 58, 66, 52, 57, 63, 49, 54, 61, 50, 59, 56, 52];

/** Stretches where a faster car can overtake: the two long straights and the braking zone after the first. */
const PASSING = new Set([0, 1, 7, 15]);

/** The pit lane leaves the track in the last stretch of a lap and rejoins it in the first of the next. */
export const PIT_ENTRY_STRETCH = LINES_PER_LAP - 1;
/** Time lost by driving through the pit lane, without the stationary time. */
export const PIT_LANE_LOSS_MS = 14_500;

/** The share of a lap time for the stretch that ends at `line`, rounded down to a millisecond. */
export function stretchMs(line: number, lapMs: number): number {
  return Math.floor((lapMs * STRETCHES[stretchOf(line)]!) / 1000);
}

/** The stretch of the lap that ends at `line` (1 or more): 0 to LINES_PER_LAP - 1. */
export function stretchOf(line: number): number {
  return (line - 1) % LINES_PER_LAP;
}

/** The lap, from 1, of the stretch that ends at `line`. */
export function lapOf(line: number): number {
  return Math.floor((line - 1) / LINES_PER_LAP) + 1;
}

export function isPassingStretch(line: number): boolean {
  return PASSING.has(stretchOf(line));
}
