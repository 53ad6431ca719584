// Every feed's payload as a JSON schema, and the one way in which payloads become bytes.
//
// Schemas name every field and allow no others. The serialiser writes the fields of the schema in its order, so what a
// normaliser emits must be exactly what the schema names: a test compares the two on every update of real sessions.

import fastJsonStringify from 'fast-json-stringify';
import type Type from 'typebox';
import { DriverInfoPayload } from './driver-info.ts';
import type { FeedId } from './feeds.ts';
import { LapCountPayload } from './lap-count.ts';
import { RaceControlMessagePayload } from './race-control-messages.ts';
import { RaceEventPayload } from './race-events.ts';
import { SessionInfoPayload } from './session-info.ts';
import { SessionStatusPayload } from './session-status.ts';
import { TimingAppDataPayload } from './timing-app-data.ts';
import { TimingDataPayload } from './timing-data.ts';
import { TireStintsPayload } from './tire-stints.ts';
import { TrackStatusPayload } from './track-status.ts';
import { WeatherDataPayload } from './weather-data.ts';

export const PAYLOAD_SCHEMAS: Readonly<Record<FeedId, Type.TSchema>> = {
  'session.info': SessionInfoPayload,
  'session.status': SessionStatusPayload,
  'track.status': TrackStatusPayload,
  'race-control.messages': RaceControlMessagePayload,
  'lap.count': LapCountPayload,
  'weather.data': WeatherDataPayload,
  'timing.data': TimingDataPayload,
  'timing.app-data': TimingAppDataPayload,
  'timing.driver-info': DriverInfoPayload,
  'tire.stints': TireStintsPayload,
  'events.race': RaceEventPayload,
};

type Serialise = (payload: unknown) => string;

const compiled = new Map<string, Serialise>();

/** The payload as JSON text. Compiles the feed's serialiser at its first use. */
export function serialisePayload(feedId: string, payload: Readonly<Record<string, unknown>>): string {
  let serialise = compiled.get(feedId);
  if (serialise === undefined) {
    if (!Object.hasOwn(PAYLOAD_SCHEMAS, feedId)) throw new TypeError(`there is no feed ${feedId}`);
    serialise = fastJsonStringify(PAYLOAD_SCHEMAS[feedId as FeedId] as Parameters<typeof fastJsonStringify>[0]);
    compiled.set(feedId, serialise);
  }
  return serialise(payload);
}
