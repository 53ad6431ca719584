// The JSON schema of every feed's payload, and the only serialiser of payloads.
//
// Schemas name every field and allow no others. The serialiser writes the fields in the order of the schema, so a
// normaliser must emit exactly the fields that the schema names. A test compares the two on every update of real
// sessions.

import fastJsonStringify from 'fast-json-stringify';
import type Type from 'typebox';
import { BattlePayload } from './analytics-battle.ts';
import { ChampionshipPayload } from './analytics-championship.ts';
import { GapProjectionPayload } from './analytics-gap-projection.ts';
import { PitWindowPayload } from './analytics-pit-window.ts';
import { QualifyingPayload } from './analytics-qualifying.ts';
import { RaceOddsPayload } from './analytics-race-odds.ts';
import { SafetyCarPayload } from './analytics-safety-car.ts';
import { StrategyPayload } from './analytics-strategy.ts';
import { TireHealthPayload } from './analytics-tire-health.ts';
import { TruePacePayload } from './analytics-true-pace.ts';
import { CarPositionPayload } from './car-position.ts';
import { CarTelemetryPayload } from './car-telemetry.ts';
import { ChampionshipPredictionPayload } from './championship-prediction.ts';
import { DriverInfoPayload } from './driver-info.ts';
import type { FeedId } from './feeds.ts';
import { HeartbeatPayload } from './heartbeat.ts';
import { KartingEntriesPayload, KartingHeatPayload, KartingLapsPayload } from './karting.ts';
import { LapCountPayload } from './lap-count.ts';
import { PitStopsPayload } from './pit-lane-stops.ts';
import { PitLaneTimesPayload } from './pit-lane-times.ts';
import { RaceControlMessagePayload } from './race-control-messages.ts';
import { RaceEventPayload } from './race-events.ts';
import { SessionClockPayload } from './session-clock.ts';
import { SessionDataPayload } from './session-data.ts';
import { SessionInfoPayload } from './session-info.ts';
import { SessionStatusPayload } from './session-status.ts';
import { TeamRadioPayload } from './team-radio.ts';
import { TimingAppDataPayload } from './timing-app-data.ts';
import { TimingDataPayload } from './timing-data.ts';
import { LapSeriesPayload } from './timing-lap-series.ts';
import { RaceInfoPayload } from './timing-race-info.ts';
import { TimingStatsPayload } from './timing-stats.ts';
import { TopThreePayload } from './timing-top-three.ts';
import { CurrentTirePayload } from './tire-current.ts';
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
  'timing.stats': TimingStatsPayload,
  'timing.top-three': TopThreePayload,
  'timing.lap-series': LapSeriesPayload,
  'timing.race-info': RaceInfoPayload,
  'tire.current': CurrentTirePayload,
  'pit-lane.times': PitLaneTimesPayload,
  'pit-lane.stops': PitStopsPayload,
  'session.clock': SessionClockPayload,
  'session.data': SessionDataPayload,
  heartbeat: HeartbeatPayload,
  'team.radio': TeamRadioPayload,
  'car.telemetry': CarTelemetryPayload,
  'car.position': CarPositionPayload,
  'championship.prediction': ChampionshipPredictionPayload,
  'karting.heat': KartingHeatPayload,
  'karting.entries': KartingEntriesPayload,
  'karting.laps': KartingLapsPayload,
  'analytics.race-odds': RaceOddsPayload,
  'analytics.strategy': StrategyPayload,
  'analytics.pit-window': PitWindowPayload,
  'analytics.true-pace': TruePacePayload,
  'analytics.tire-health': TireHealthPayload,
  'analytics.battle': BattlePayload,
  'analytics.gap-projection': GapProjectionPayload,
  'analytics.safety-car': SafetyCarPayload,
  'analytics.qualifying': QualifyingPayload,
  'analytics.championship': ChampionshipPayload,
};

type Serialise = (payload: unknown) => string;

const compiled = new Map<string, Serialise>();

/** Returns the payload as JSON. Compiles the feed's serialiser on first use. Throws a TypeError for an unknown feed. */
export function serialisePayload(feedId: string, payload: Readonly<Record<string, unknown>>): string {
  let serialise = compiled.get(feedId);
  if (serialise === undefined) {
    if (!Object.hasOwn(PAYLOAD_SCHEMAS, feedId)) throw new TypeError(`unknown feed ${feedId}`);
    serialise = fastJsonStringify(PAYLOAD_SCHEMAS[feedId as FeedId] as Parameters<typeof fastJsonStringify>[0]);
    compiled.set(feedId, serialise);
  }
  return serialise(payload);
}
