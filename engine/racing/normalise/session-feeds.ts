// session.info, session.status, track.status, lap.count and weather.data: small topics. Every payload has all fields,
// so receivers need to keep no state.

import { integerOf, numberOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { localUtcMs } from '#engine/racing/upstream-time.ts';
import type { LapCountData } from '#schemas/webhook/lap-count.ts';
import type { SessionInfoData } from '#schemas/webhook/session-info.ts';
import type { SessionStatusData } from '#schemas/webhook/session-status.ts';
import type { TrackStatusData } from '#schemas/webhook/track-status.ts';
import type { WeatherData } from '#schemas/webhook/weather-data.ts';
import { isoUtc } from './iso-utc.ts';
import { NOTHING, type Normalise, touches } from './normaliser.ts';

const INFO_FIELDS = ['Meeting', 'Key', 'Type', 'Name', 'StartDate', 'EndDate', 'GmtOffset', 'Path'];

export const sessionInfo: Normalise = (changes, state) => {
  if (!touches(changes, INFO_FIELDS)) return NOTHING;
  const info = state.topic('SessionInfo');
  const meeting = objectOf(info.Meeting);
  const country = objectOf(meeting.Country);
  const circuit = objectOf(meeting.Circuit);
  const data: SessionInfoData = {
    sessionKey: integerOf(info.Key),
    type: textOf(info.Type),
    name: textOf(info.Name),
    meetingKey: integerOf(meeting.Key),
    meetingName: textOf(meeting.Name),
    officialName: textOf(meeting.OfficialName),
    round: integerOf(meeting.Number),
    location: textOf(meeting.Location),
    countryCode: textOf(country.Code),
    countryName: textOf(country.Name),
    circuitKey: integerOf(circuit.Key),
    circuitName: textOf(circuit.ShortName),
    startUtc: isoUtc(localUtcMs(info.StartDate, info.GmtOffset)),
    endUtc: isoUtc(localUtcMs(info.EndDate, info.GmtOffset)),
    gmtOffset: textOf(info.GmtOffset),
    archivePath: textOf(info.Path),
  };
  return [{ data }];
};

export const sessionStatus: Normalise = (changes, state) => {
  const { Status, Started } = state.topic('SessionStatus');
  const status = textOf(Status);
  if (status === null || !touches(changes, ['Status', 'Started'])) return NOTHING;
  const partStatus = textOf(Started);
  const data: SessionStatusData = {
    status: status.toLowerCase(),
    ...(partStatus === null ? {} : { partStatus: partStatus.toLowerCase() }),
  };
  return [{ data }];
};

const TRACK_STATUSES: Readonly<Record<string, string>> = {
  1: 'clear',
  2: 'yellow',
  4: 'safety_car',
  5: 'red',
  6: 'virtual_safety_car',
  7: 'virtual_safety_car_ending',
};

export const trackStatus: Normalise = (changes, state) => {
  if (!touches(changes, ['Status'])) return NOTHING;
  const code = integerOf(state.topic('TrackStatus').Status);
  const data: TrackStatusData = { status: TRACK_STATUSES[code ?? ''] ?? 'unknown', code };
  return [{ data }];
};

export const lapCount: Normalise = (changes, state) => {
  if (!touches(changes, ['CurrentLap', 'TotalLaps'])) return NOTHING;
  const { CurrentLap, TotalLaps } = state.topic('LapCount');
  const data: LapCountData = { currentLap: integerOf(CurrentLap), totalLaps: integerOf(TotalLaps) };
  return [{ data }];
};

const WEATHER_FIELDS = ['AirTemp', 'TrackTemp', 'Humidity', 'Pressure', 'Rainfall', 'WindDirection', 'WindSpeed'];

export const weatherData: Normalise = (changes, state) => {
  if (!touches(changes, WEATHER_FIELDS)) return NOTHING;
  const weather = state.topic('WeatherData');
  const rainfall = numberOf(weather.Rainfall);
  const data: WeatherData = {
    airTempC: numberOf(weather.AirTemp),
    trackTempC: numberOf(weather.TrackTemp),
    humidityPercent: numberOf(weather.Humidity),
    pressureHpa: numberOf(weather.Pressure),
    rainfall: rainfall === null ? null : rainfall !== 0,
    windDirectionDegrees: numberOf(weather.WindDirection),
    windSpeedMps: numberOf(weather.WindSpeed),
  };
  return [{ data }];
};
