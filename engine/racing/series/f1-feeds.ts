// Which topic of Formula One's live timing makes which feed, and how. To add a feed, add a row here and a file with its
// normaliser.

import { carPosition } from '#engine/racing/normalise/car-position.ts';
import { carTelemetry } from '#engine/racing/normalise/car-telemetry.ts';
import { championshipPrediction } from '#engine/racing/normalise/championship.ts';
import { currentTires } from '#engine/racing/normalise/current-tires.ts';
import { driverInfo } from '#engine/racing/normalise/driver-info.ts';
import { lapSeries } from '#engine/racing/normalise/lap-series.ts';
import { pitLaneTimes, pitStops } from '#engine/racing/normalise/pit-lane.ts';
import { raceControlMessages } from '#engine/racing/normalise/race-control.ts';
import { raceInfo } from '#engine/racing/normalise/race-info.ts';
import { heartbeat, sessionClock } from '#engine/racing/normalise/session-clock.ts';
import { sessionData } from '#engine/racing/normalise/session-data.ts';
import {
  lapCount,
  sessionInfo,
  sessionStatus,
  trackStatus,
  weatherData,
} from '#engine/racing/normalise/session-feeds.ts';
import { teamRadio } from '#engine/racing/normalise/team-radio.ts';
import { timingAppData } from '#engine/racing/normalise/timing-app-data.ts';
import { timingData } from '#engine/racing/normalise/timing-data.ts';
import { timingStats } from '#engine/racing/normalise/timing-stats.ts';
import { TireStints } from '#engine/racing/normalise/tire-stints.ts';
import { topThree } from '#engine/racing/normalise/top-three.ts';
import type { FeedRow } from './series.ts';

/** Creates the rows for one session. Some normalisers keep state, so each session needs its own. */
export function f1FeedRows(): readonly FeedRow[] {
  const tires = new TireStints();
  return [
    { topic: 'SessionInfo', feed: 'session.info', normalise: sessionInfo },
    { topic: 'SessionStatus', feed: 'session.status', normalise: sessionStatus },
    { topic: 'SessionData', feed: 'session.data', normalise: sessionData },
    { topic: 'TrackStatus', feed: 'track.status', normalise: trackStatus },
    { topic: 'RaceControlMessages', feed: 'race-control.messages', normalise: raceControlMessages },
    { topic: 'LapCount', feed: 'lap.count', normalise: lapCount },
    { topic: 'ExtrapolatedClock', feed: 'session.clock', normalise: sessionClock },
    { topic: 'Heartbeat', feed: 'heartbeat', normalise: heartbeat },
    { topic: 'WeatherData', feed: 'weather.data', normalise: weatherData },
    { topic: 'DriverList', feed: 'timing.driver-info', normalise: driverInfo },
    { topic: 'TimingData', feed: 'timing.data', normalise: timingData },
    { topic: 'TimingAppData', feed: 'timing.app-data', normalise: timingAppData },
    { topic: 'TimingAppData', feed: 'tire.stints', normalise: tires.fromTimingAppData },
    { topic: 'TyreStintSeries', feed: 'tire.stints', normalise: tires.fromStintSeries },
    { topic: 'CurrentTyres', feed: 'tire.current', normalise: currentTires },
    { topic: 'TimingStats', feed: 'timing.stats', normalise: timingStats },
    { topic: 'TopThree', feed: 'timing.top-three', normalise: topThree },
    { topic: 'LapSeries', feed: 'timing.lap-series', normalise: lapSeries },
    { topic: 'DriverRaceInfo', feed: 'timing.race-info', normalise: raceInfo },
    { topic: 'PitLaneTimeCollection', feed: 'pit-lane.times', normalise: pitLaneTimes },
    { topic: 'PitStopSeries', feed: 'pit-lane.stops', normalise: pitStops },
    { topic: 'TeamRadio', feed: 'team.radio', normalise: teamRadio },
    { topic: 'ChampionshipPrediction', feed: 'championship.prediction', normalise: championshipPrediction },
    { topic: 'CarData.z', feed: 'car.telemetry', normalise: carTelemetry() },
    { topic: 'Position.z', feed: 'car.position', normalise: carPosition() },
  ];
}
