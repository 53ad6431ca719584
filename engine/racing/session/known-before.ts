// What was known of a race before it: how strong each driver is and how often he retires, from the history. It comes as a frame of a topic of its own
// and is recorded with the session, so live, a resumed session and every replay know the same (I7), whatever the history
// says later.

import { numberOf, objectOf } from '#engine/base/json-value.ts';
import type { SessionState } from './session-state.ts';

export const PREVIEW_TOPIC = 'Preview';

/** The message of the topic. */
export interface KnownBefore {
  /** The newest weekend that it was learnt from. */
  readonly LearntTo: string;
  /** By slug of the driver: the logarithm of how many times as likely to win he is as an average one. */
  readonly Strengths: Readonly<Record<string, number>>;
  /** By slug of the driver: the chance of retiring from a Grand Prix. Sessions that were recorded earlier do not have it. */
  readonly Retirements?: Readonly<Record<string, number>>;
}

/** A driver's strength. Null: not known. */
export function strengthOf(state: SessionState, number: string): number | null {
  return knownOf(state, number, 'Strengths');
}

/** A driver's chance of retiring from a Grand Prix. Null: not known. */
export function retirementOf(state: SessionState, number: string): number | null {
  return knownOf(state, number, 'Retirements');
}

function knownOf(state: SessionState, number: string, list: 'Strengths' | 'Retirements'): number | null {
  const { driverId } = state.driver(number);
  return driverId === null ? null : numberOf(objectOf(state.topic(PREVIEW_TOPIC)[list])[driverId]);
}
