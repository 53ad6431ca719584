// Times in the viewer's zone, with UTC at hand: in the tooltip and for programs.

import { language } from '../text/text.ts';

const FORMATS = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  date: { year: 'numeric', month: 'short', day: 'numeric' },
  both: { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export interface TimeProps {
  /** ISO 8601. */
  readonly at: string;
  readonly show?: keyof typeof FORMATS;
}

export function Time({ at, show = 'both' }: TimeProps) {
  const date = new Date(at);
  const shown = new Intl.DateTimeFormat(language, FORMATS[show]).format(date);
  return (
    <time dateTime={at} title={`${date.toISOString().replace('T', ' ').slice(0, 19)} UTC`}>
      {shown}
    </time>
  );
}
