// Whether cars are racing each other: the conditions that the rules about the order on the track share.

import { integerOf } from '#engine/base/json-value.ts';
import type { SessionState } from '#engine/racing/session/session-state.ts';

/** Whether cars may race each other: there is neither a red flag nor a safety car, real or virtual. */
export function isGreen(state: SessionState): boolean {
  const status = state.topic('TrackStatus').Status;
  return status === undefined || status === '1' || status === '2';
}

/** Whether the car is running on the track. False on its out lap. */
export function isOnTrack(state: SessionState, number: string): boolean {
  const { InPit, PitOut, Stopped, Retired } = state.timing(number);
  return InPit !== true && PitOut !== true && Stopped !== true && Retired !== true;
}

export function lapsOf(state: SessionState, number: string): number {
  return integerOf(state.timing(number).NumberOfLaps) ?? 0;
}
