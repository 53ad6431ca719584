// When each feed is sent, for its page. What an update tells is the description of its schema.

import type { FeedId } from '#schemas/webhook/feeds.ts';

const CHANGED = 'With each message of the timing source that changes one of its values.';
const EACH_LAP =
  'Once per lap of the leader, when racing is neutralised or resumes, when a car is out, and at the end.';

export const FEED_OCCASIONS: Readonly<Record<FeedId, string>> = {
  'session.info': 'At the beginning of a session, and when one of its data is corrected.',
  'session.status': 'When the session starts, is interrupted, is resumed and ends.',
  'track.status': 'When a flag for the whole track or a safety car comes or goes.',
  'race-control.messages': 'With each message of race control.',
  'lap.count': 'When the leader begins a lap.',
  'weather.data': 'About once a minute.',
  'timing.data': 'All the time that cars are on track, several times a second.',
  'timing.app-data': 'When a driver completes a lap, and on the grid.',
  'timing.driver-info': 'At the beginning, and when a driver changes his line on the timing screen.',
  'tire.stints': 'When a car completes a lap or changes tires.',
  'events.race': 'When something has happened: an overtake once the new order has held, other events at once.',
  'timing.stats': 'When a driver improves a best lap, sector or speed.',
  'timing.top-three': 'When one of the first three lines changes.',
  'timing.lap-series': 'When a driver completes a lap.',
  'timing.race-info': 'When a gap, an interval or the number of stops changes.',
  'tire.current': 'At the beginning, and when a car changes tires.',
  'pit-lane.times': 'When a car leaves the pit lane.',
  'pit-lane.stops': 'When a car leaves its box.',
  'session.clock': 'When the clock starts, stops or is corrected. In between it runs by itself.',
  'session.data': 'When a lap or a part of qualifying begins, and when a status changes.',
  heartbeat: 'About every 15 seconds.',
  'team.radio': 'When a recording is published.',
  'car.telemetry': 'Once a second at most.',
  'car.position': 'Once a second at most.',
  'championship.prediction': 'In races, when the order on the road changes the standings.',
  'karting.heat': CHANGED,
  'karting.entries': CHANGED,
  'karting.laps': CHANGED,
  'analytics.race-odds': EACH_LAP,
  'analytics.strategy': EACH_LAP,
  'analytics.pit-window': EACH_LAP,
  'analytics.true-pace': 'Once per lap of the leader, under green, once there are clean laps.',
  'analytics.tire-health': 'Once per lap of the leader, under green, once there are clean laps.',
  'analytics.battle': 'Once per lap of the leader while cars fight, and once more when the last battle ends.',
  'analytics.gap-projection': 'Once per lap of the leader, under green, once there are clean laps.',
  'analytics.safety-car': 'Once per lap of the leader, when racing is neutralised or resumes, and when a car is out.',
  'analytics.qualifying':
    'When a driver improves or ends a first or second sector, and when a part begins or its laps are over; every 5 seconds at most.',
  'analytics.championship': 'After each analytics.race-odds.',
  'analytics.winning-margin': 'After each analytics.race-odds, once the gap of the second car is known.',
  'analytics.team-points': 'After each analytics.race-odds.',
  'analytics.tire-strategy': EACH_LAP,
  'analytics.sector-pace': EACH_LAP,
};
