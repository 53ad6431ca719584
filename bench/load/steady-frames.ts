// Frames of a session in which one driver's gap keeps changing, or that of two. The first frame introduces them; each later
// frame makes exactly one update of `timing.data` of about 360 bytes, and no race event.

const START_UTC_MS = Date.UTC(2026, 0, 4, 14);

export const STEADY_FEED = 'timing.data';
/** The sequence of the first such update; the one before it introduces the driver. */
export const STEADY_FIRST_SEQUENCE = 2;

const DRIVER = {
  RacingNumber: '1',
  BroadcastName: 'A BENCH',
  FullName: 'Ada BENCH',
  Tla: 'BEN',
  Line: 1,
  TeamName: 'Bench Racing',
  TeamColour: '112233',
  FirstName: 'Ada',
  LastName: 'Bench',
};

/** The driver that `steadyLine` uses by default, and another one. */
export const STEADY_DRIVER = DRIVER.Tla;
export const OTHER_DRIVER = 'OTH';

const OTHER = { ...DRIVER, RacingNumber: '2', Tla: OTHER_DRIVER, Line: 2 };

/** The first frame of the session, as a line for ingest or import. */
export function firstLine(): string {
  return line(0, 'DriverList', { 1: DRIVER });
}

/** The same for a session with two drivers. */
export function firstLineOfTwo(): string {
  return line(0, 'DriverList', { 1: DRIVER, 2: OTHER });
}

/** The frame of steady update `number`, from 0, of driver 1 or 2. Frames are `everyMs` apart. */
export function steadyLine(number: number, everyMs: number, driver: 1 | 2 = 1): string {
  const gap = ((number % 90_000) / 1_000 + 1).toFixed(3);
  const fields = { GapToLeader: `+${gap}`, IntervalToPositionAhead: { Value: `+${gap}` } };
  return line(number * everyMs, 'TimingData', { Lines: { [driver]: fields } });
}

function line(afterMs: number, topic: string, data: object): string {
  const utc = new Date(START_UTC_MS + afterMs).toISOString();
  return `${JSON.stringify({ topic, utc, data })}\n`;
}
