// The upstream's messages by topic, after inflation, for the topics that feeds are derived from. Only tests use these
// schemas, to check recordings. At run time a field with an unexpected shape counts as absent, so the upstream may
// change without breaking us.

import type Type from 'typebox';
import { DriverListMessage } from './driver-list.ts';
import { PitLaneTimeCollectionMessage, PitStopSeriesMessage } from './pit-topics.ts';
import { RaceControlMessagesMessage } from './race-control-messages.ts';
import { ChampionshipPredictionMessage, DriverRaceInfoMessage, LapSeriesMessage } from './race-topics.ts';
import { CarDataMessage, PositionMessage } from './samples.ts';
import { ExtrapolatedClockMessage, HeartbeatMessage, SessionDataMessage, TeamRadioMessage } from './session-log.ts';
import {
  LapCountMessage,
  SessionInfoMessage,
  SessionStatusMessage,
  TrackStatusMessage,
  WeatherDataMessage,
} from './session-topics.ts';
import { TimingAppDataMessage } from './timing-app-data.ts';
import { TimingDataMessage } from './timing-data.ts';
import { TimingStatsMessage } from './timing-stats.ts';
import { CurrentTyresMessage, TyreStintSeriesMessage } from './tire-topics.ts';
import { TopThreeMessage } from './top-three.ts';

export const UPSTREAM_MESSAGES: Readonly<Record<string, Type.TSchema>> = {
  SessionInfo: SessionInfoMessage,
  SessionStatus: SessionStatusMessage,
  TrackStatus: TrackStatusMessage,
  RaceControlMessages: RaceControlMessagesMessage,
  LapCount: LapCountMessage,
  WeatherData: WeatherDataMessage,
  DriverList: DriverListMessage,
  TimingData: TimingDataMessage,
  TimingAppData: TimingAppDataMessage,
  TimingStats: TimingStatsMessage,
  TopThree: TopThreeMessage,
  LapSeries: LapSeriesMessage,
  DriverRaceInfo: DriverRaceInfoMessage,
  TyreStintSeries: TyreStintSeriesMessage,
  CurrentTyres: CurrentTyresMessage,
  PitLaneTimeCollection: PitLaneTimeCollectionMessage,
  PitStopSeries: PitStopSeriesMessage,
  SessionData: SessionDataMessage,
  ExtrapolatedClock: ExtrapolatedClockMessage,
  Heartbeat: HeartbeatMessage,
  TeamRadio: TeamRadioMessage,
  ChampionshipPrediction: ChampionshipPredictionMessage,
  'CarData.z': CarDataMessage,
  'Position.z': PositionMessage,
};
