// Why a stream ended, in words for its client.

import type { StreamEnd } from '#engine/delivery/stream/update-stream.ts';

export const STREAM_ENDS = {
  completed: 'The session or run is over, and everything was sent.',
  monthly_limit:
    'The account has used its deliveries of this month: take a higher plan, raise the spend cap, or wait for the next month.',
  stream_behind: 'You are more than an hour behind: come back with the last id to continue there.',
  unauthorized:
    'The token has expired or was revoked: get another one from POST /v1/oauth and come back with the last id.',
  plan_changed: 'The plan of the account has changed: come back with the last id to continue under it.',
  updates_gone:
    'What you have seen belongs to a session whose updates are not there any more, or not for you: begin a new stream.',
  stopping: 'The service is stopping: come back with the last id.',
} as const satisfies Record<StreamEnd | string, string>;

export type StreamEndCode = keyof typeof STREAM_ENDS;

/** The same for a client whose places are called otherwise. */
export function streamEndText(code: StreamEndCode, place: 'id' | 'cursor'): string {
  return STREAM_ENDS[code].replace('the last id', `the last ${place}`);
}
