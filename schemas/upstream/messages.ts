// The upstream's messages by topic, for the topics from which feeds are made. They are a description, checked against
// recordings in tests: at run time a field of another shape counts as absent, so that the upstream may grow.

import type Type from 'typebox';
import { DriverListMessage } from './driver-list.ts';
import { RaceControlMessagesMessage } from './race-control-messages.ts';
import {
  LapCountMessage,
  SessionInfoMessage,
  SessionStatusMessage,
  TrackStatusMessage,
  WeatherDataMessage,
} from './session-topics.ts';
import { TimingAppDataMessage } from './timing-app-data.ts';
import { TimingDataMessage } from './timing-data.ts';

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
};
