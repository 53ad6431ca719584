// Figures as people read them.

import { language, operatorsText as text } from '../text/text.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export const whole = (count: number): string => Math.round(count).toLocaleString(language);

/** Three digits at most: `0.4 ms`, `12 ms`, `1.5 s`, `2 min`, `3 h`, `4 d`. Null: not known. */
export function duration(ms: number | null): string {
  if (ms === null) return text.notKnown;
  if (ms < SECOND_MS) return `${short(ms)} ms`;
  if (ms < MINUTE_MS) return `${short(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

export function bytes(count: number): string {
  const unit = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, count)) / 10)));
  return `${short(count / 1_024 ** unit)} ${UNITS[unit]}`;
}

/** Null: not known. */
export function percent(share: number | null): string {
  return share === null ? text.notKnown : `${Math.round(share * 100)}%`;
}

function short(value: number): string {
  const digits = value < 10 && value !== 0 ? 1 : 0;
  return value.toLocaleString(language, { minimumFractionDigits: 0, maximumFractionDigits: digits });
}
