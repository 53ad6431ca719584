// The known topics of the upstream's live timing, in the order in which messages of the same instant are applied: the
// session comes before whatever refers to it, and drivers come before their times.

export const UPSTREAM_TOPICS = [
  'SessionInfo',
  'ArchiveStatus',
  'SessionStatus',
  'SessionData',
  'TrackStatus',
  'LapCount',
  'ExtrapolatedClock',
  'Heartbeat',
  'DriverList',
  'TimingData',
  'TimingDataF1',
  'TimingAppData',
  'TimingStats',
  'TopThree',
  'LapSeries',
  'DriverRaceInfo',
  'TyreStintSeries',
  'CurrentTyres',
  'PitLaneTimeCollection',
  'PitStop',
  'PitStopSeries',
  'OvertakeSeries',
  'RaceControlMessages',
  'RcmSeries',
  'TlaRcm',
  'TeamRadio',
  'WeatherData',
  'WeatherDataSeries',
  'CarData.z',
  'Position.z',
  'ChampionshipPrediction',
  'DriverScore',
  'SPFeed',
  'AudioStreams',
  'ContentStreams',
] as const;

const RANKS: ReadonlyMap<string, number> = new Map(UPSTREAM_TOPICS.map((topic, index) => [topic, index]));

/** Whether this is a known topic of the upstream. */
export function isUpstreamTopic(topic: string): boolean {
  return RANKS.has(topic);
}

/** Orders topics of messages of the same instant: known topics as listed, then unknown ones by name. */
export function compareTopics(a: string, b: string): number {
  const rankA = RANKS.get(a) ?? UPSTREAM_TOPICS.length;
  const rankB = RANKS.get(b) ?? UPSTREAM_TOPICS.length;
  if (rankA !== rankB) return rankA - rankB;
  return a < b ? -1 : a > b ? 1 : 0;
}
