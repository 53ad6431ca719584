// The JSON schema of every feed's payload, and the only serialiser of payloads.
//
// Schemas name every field and allow no others. The serialiser writes the fields in the order of the schema, so a
// normaliser must emit exactly the fields that the schema names. A test compares the two on every update of real
// sessions. A race event is written by the schema of its own type: trying those of all types would be slow.

import fastJsonStringify from 'fast-json-stringify';
import type Type from 'typebox';
import { BattlePayload } from './analytics-battle.ts';
import { ChampionshipPayload } from './analytics-championship.ts';
import { GapProjectionPayload } from './analytics-gap-projection.ts';
import { PitWindowPayload } from './analytics-pit-window.ts';
import { QualifyingPayload } from './analytics-qualifying.ts';
import { RaceOddsPayload } from './analytics-race-odds.ts';
import { SafetyCarPayload } from './analytics-safety-car.ts';
import { SectorPacePayload } from './analytics-sector-pace.ts';
import { StrategyPayload } from './analytics-strategy.ts';
import { TeamPointsPayload } from './analytics-team-points.ts';
import { TireHealthPayload } from './analytics-tire-health.ts';
import { TireStrategyPayload } from './analytics-tire-strategy.ts';
import { TruePacePayload } from './analytics-true-pace.ts';
import { WinningMarginPayload } from './analytics-winning-margin.ts';
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
import type { RaceEventType } from './race-event-types.ts';
import { RACE_EVENT_PAYLOADS, RaceEventPayload } from './race-events.ts';
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

export const PAYLOAD_SCHEMAS = {
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
  'analytics.winning-margin': WinningMarginPayload,
  'analytics.team-points': TeamPointsPayload,
  'analytics.tire-strategy': TireStrategyPayload,
  'analytics.sector-pace': SectorPacePayload,
} as const satisfies Readonly<Record<FeedId, Type.TSchema>>;

/** The body of any delivery: a union by `feed`. */
export type WebhookPayload = { [Feed in FeedId]: Type.Static<(typeof PAYLOAD_SCHEMAS)[Feed]> }[FeedId];

type Serialise = (payload: unknown) => string;
type Payload = Readonly<Record<string, unknown>>;

const byFeed = new Map<string, Serialise>();
const byEvent = new Map<unknown, Serialise>();

/**
 * Returns the payload as JSON. Compiles the serialiser of the feed, or of the race event, on first use. Throws a
 * TypeError for an unknown one.
 */
export function serialisePayload(feedId: string, payload: Payload): string {
  if (feedId === 'events.race') return serialiseRaceEvent(payload);
  let serialise = byFeed.get(feedId);
  if (serialise === undefined) {
    if (!Object.hasOwn(PAYLOAD_SCHEMAS, feedId)) throw new TypeError(`unknown feed ${feedId}`);
    serialise = serialiserOf(PAYLOAD_SCHEMAS[feedId as FeedId]);
    byFeed.set(feedId, serialise);
  }
  return serialise(payload);
}

function serialiseRaceEvent(payload: Payload): string {
  const { event } = payload;
  let serialise = byEvent.get(event);
  if (serialise === undefined) {
    const type = String(event);
    if (!Object.hasOwn(RACE_EVENT_PAYLOADS, type)) throw new TypeError(`unknown race event ${type}`);
    serialise = serialiserOf(RACE_EVENT_PAYLOADS[type as RaceEventType]);
    byEvent.set(event, serialise);
  }
  return serialise(payload);
}

function serialiserOf(schema: Type.TSchema): Serialise {
  return fastJsonStringify(schema as Parameters<typeof fastJsonStringify>[0]);
}
