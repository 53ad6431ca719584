// The time until something, in its two largest units.

export interface Countdown {
  readonly days: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
}

/** Zero once it is past. */
export function countdown(untilMs: number): Countdown {
  const s = Math.max(0, Math.floor(untilMs / 1_000));
  return {
    days: Math.floor(s / 86_400),
    hours: Math.floor(s / 3_600) % 24,
    minutes: Math.floor(s / 60) % 60,
    seconds: s % 60,
  };
}

export const UNITS = ['days', 'hours', 'minutes', 'seconds'] as const;

/** The two largest units that are not zero, the first one always; `say` puts a unit into words. */
export function countdownText(time: Countdown, say: (unit: (typeof UNITS)[number], count: number) => string): string {
  const first = UNITS.findIndex((unit) => time[unit] > 0);
  if (first === -1) return say('seconds', 0);
  return UNITS.slice(first, first + 2)
    .map((unit) => say(unit, time[unit]))
    .join(' ');
}
