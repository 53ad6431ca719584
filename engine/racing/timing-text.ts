// Parses the texts of the timing screen: lap times and gaps. A cleared text is null.

import { textOf } from '#engine/base/json-value.ts';
import type { Gap, LapTime } from '#schemas/webhook/lap-time.ts';

const TIME = /^(?:(\d{1,2}):)?(?:(\d{1,2}):)?(\d{1,3})\.(\d{1,3})$/;
const LAPS_BEHIND = /^\+?(\d{1,3}) ?L(?:APS?)?$/;
const LEADER = /^LAP (\d{1,3})$/;

/** Parses `1:45.149` or `26.111`. A text that is no time keeps its display; its milliseconds are null. */
export function lapTimeOf(value: unknown): LapTime | null {
  const display = textOf(value);
  return display === null ? null : { display, ms: millisecondsOf(display) };
}

/** Parses `+1.234`, `+1:09.473`, `1L` and `1 L` for lapped cars, and `LAP 27` for the leader. */
export function gapOf(value: unknown): Gap | null {
  const display = textOf(value);
  if (display === null) return null;
  const leader = LEADER.exec(display);
  if (leader !== null) return { display, seconds: 0, leaderLap: Number(leader[1]) };
  const lapped = LAPS_BEHIND.exec(display);
  if (lapped !== null) return { display, seconds: null, lapsBehind: Number(lapped[1]) };
  const ms = millisecondsOf(display.startsWith('+') ? display.slice(1) : display);
  return { display, seconds: ms === null ? null : ms / 1000 };
}

function millisecondsOf(display: string): number | null {
  const match = TIME.exec(display);
  if (match === null) return null;
  const [, first, second, seconds, fraction] = match;
  const hours = second === undefined ? 0 : Number(first);
  const minutes = second ?? first ?? '0';
  return ((hours * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(fraction!.padEnd(3, '0'));
}
