// pit-lane.times and pit-lane.stops: how long cars were in the pit lane and stood at their box. When anything in an
// entry changes, the payload has all of the entry.
//
// The upstream shows a time in the pit lane for about a minute and then removes it. The removal makes no update. When a
// race is stopped, the cars wait in the pit lane: their times there are real, but they are no pit stops. So a stay
// longer than PIT_LANE_STAY_MS_MAX is marked `interrupted`, and comparisons of stops leave it out.

import { integerOf, numberOf, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { lapTimeOf } from '#engine/racing/timing-text.ts';
import type { LapTime } from '#schemas/webhook/lap-time.ts';
import type { PitStop, PitStopDriver } from '#schemas/webhook/pit-lane-stops.ts';
import type { PitLaneTimeDriver } from '#schemas/webhook/pit-lane-times.ts';
import { isoUtcOf } from './iso-utc.ts';
import { NOTHING, type Normalise, touches } from './normaliser.ts';
import { places } from './places.ts';

/** The longest stay in the pit lane that counts as a pit stop. Repairs take less, a stopped race takes more. */
export const PIT_LANE_STAY_MS_MAX = 300_000;

export const pitLaneTimes: Normalise = (changes, state) => {
  const changed = objectOf(changes.PitTimes);
  const times = objectOf(state.topic('PitLaneTimeCollection').PitTimes);
  const drivers: PitLaneTimeDriver[] = [];
  for (const number of racingNumbers(changed)) {
    if (!touches(objectOf(changed[number]), ['Duration', 'Lap'])) continue;
    const { Duration, Lap } = objectOf(times[number]);
    const pitLaneTime = durationOf(Duration);
    const interrupted = (pitLaneTime?.ms ?? 0) > PIT_LANE_STAY_MS_MAX;
    drivers.push({ ...state.driver(number), pitLaneTime, lap: integerOf(Lap), interrupted });
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};

export const pitStops: Normalise = (changes, state) => {
  const changed = objectOf(changes.PitTimes);
  const times = objectOf(state.topic('PitStopSeries').PitTimes);
  const drivers: PitStopDriver[] = [];
  for (const number of racingNumbers(changed)) {
    const all = objectOf(times[number]);
    const stops: PitStop[] = [];
    for (const [index, change] of places(changed[number])) {
      if (touches(change, ['Timestamp', 'PitStop'])) stops.push(pitStopOf(index + 1, all[index]));
    }
    if (stops.length > 0) drivers.push({ ...state.driver(number), stops });
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};

function pitStopOf(stop: number, value: unknown): PitStop {
  const { Timestamp, PitStop } = objectOf(value);
  const { PitStopTime, PitLaneTime, Lap } = objectOf(PitStop);
  return {
    stop,
    utc: isoUtcOf(Timestamp),
    stationaryTime: durationOf(PitStopTime),
    pitLaneTime: durationOf(PitLaneTime),
    lap: integerOf(Lap),
  };
}

/** Reads a time such as `23.4` or `1:02.345`, or any number of seconds, such as `4763.9`. */
function durationOf(value: unknown): LapTime | null {
  const time = lapTimeOf(value);
  if (time === null || time.ms !== null) return time;
  const seconds = numberOf(time.display);
  return seconds === null || seconds < 0 ? time : { display: time.display, ms: Math.round(seconds * 1000) };
}
