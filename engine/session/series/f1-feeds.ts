// Which topic of Formula One's live timing feeds which feed, and how. A further feed is a further row and the file with its
// normaliser.

import { carPosition } from '../normalise/car-position.ts';
import { carTelemetry } from '../normalise/car-telemetry.ts';
import { championshipPrediction } from '../normalise/championship.ts';
import { currentTires } from '../normalise/current-tires.ts';
import { driverInfo } from '../normalise/driver-info.ts';
import { lapSeries } from '../normalise/lap-series.ts';
import { pitLaneTimes, pitStops } from '../normalise/pit-lane.ts';
import { raceControlMessages } from '../normalise/race-control.ts';
import { raceInfo } from '../normalise/race-info.ts';
import { heartbeat, sessionClock } from '../normalise/session-clock.ts';
import { sessionData } from '../normalise/session-data.ts';
import { lapCount, sessionInfo, sessionStatus, trackStatus, weatherData } from '../normalise/session-feeds.ts';
import { teamRadio } from '../normalise/team-radio.ts';
import { timingAppData } from '../normalise/timing-app-data.ts';
import { timingData } from '../normalise/timing-data.ts';
import { timingStats } from '../normalise/timing-stats.ts';
import { TireStints } from '../normalise/tire-stints.ts';
import { topThree } from '../normalise/top-three.ts';
import type { FeedRow } from './series.ts';

/** The rows of one session: some normalisers remember what they told. */
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
