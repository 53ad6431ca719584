// A place in a session, as a customer names it: a sequence, a lap, a time of the session or the seconds since its start.

import { ApiError, type RefusalCode } from '#api/http/api-error.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';

export interface ReplayPlace {
  readonly sequence?: number | undefined;
  readonly lap?: number | undefined;
  readonly time?: string | undefined;
  readonly seconds?: number | undefined;
}

const PLACES = ['sequence', 'lap', 'time', 'seconds'] as const;

/** The first position to play. Throws an ApiError with this code unless exactly one place of the session is named. */
export function positionOfPlace(place: ReplayPlace, timeline: Timeline, code: RefusalCode): number {
  const { sequence, lap, time, seconds } = place;
  const given = PLACES.filter((name) => place[name] !== undefined);
  if (given.length === 0)
    throw new ApiError(code, 'exactly one of sequence, lap, time and seconds is required, and none of them is given');
  // A replay that is started needs none.
  if (given.length > 1)
    throw new ApiError(
      code,
      `only one of sequence, lap, time and seconds can name the place, and ${given.join(' and ')} are given`,
    );
  if (sequence !== undefined) {
    if (sequence <= timeline.length) return sequence - 1;
    throw new ApiError(code, `sequence must be at most ${timeline.length}, the last one of this session`);
  }
  if (lap !== undefined) return positionOfLap(lap, timeline, code);
  if (seconds !== undefined) return firstFrom(seconds * 1_000, timeline);
  const ms = Date.parse(time!);
  if (Number.isNaN(ms)) throw new ApiError(code, 'time must be a time of the session, such as 2026-06-14T13:05:00Z');
  return firstFrom(ms - timeline.info.startUtcMs, timeline);
}

/** The first update that is due then or later. */
function firstFrom(elapsedMs: number, timeline: Timeline): number {
  return timeline.duePosition(Math.ceil(elapsedMs) - 1);
}

/** Where the leader begins this lap. */
function positionOfLap(lap: number, timeline: Timeline, code: RefusalCode): number {
  let last: number | null = null;
  for (let position = 0; position < timeline.length; position++) {
    if (timeline.feedId(position) !== 'lap.count') continue;
    const payload = JSON.parse(Buffer.from(timeline.body(position)).toString()) as {
      readonly data?: { readonly currentLap?: number | null };
    };
    const current = payload.data?.currentLap ?? null;
    if (current === null) continue;
    if (current >= lap) return position;
    last = current;
  }
  if (last === null) throw new ApiError(code, 'lap: this session counts no laps; give sequence, time or seconds');
  throw new ApiError(code, `lap must be at most ${last}, the last one of this session`);
}
