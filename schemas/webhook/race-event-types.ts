// The values of `event` in the feed `events.race`, and of the filter `eventTypes`.
// A row's index plus one is its number in timelines; 0 means no race event. Append only, never reorder.

export const RACE_EVENT_TYPES = [
  'session_start',
  'session_end',
  'overtake',
  'lead_change',
  'pit_entry',
  'pit_exit',
  'fastest_lap',
  'retirement',
  'safety_car_deployed',
  'safety_car_ending',
  'virtual_safety_car_deployed',
  'virtual_safety_car_ending',
  'red_flag',
  'yellow_flag',
  'track_clear',
  'chequered_flag',
  'session_resumed',
  'session_aborted',
  'segment_start',
  'segment_end',
  'knocked_out',
  'position_gained',
  'position_lost',
  'pit_stop',
  'fastest_pit_stop',
  'double_stack',
  'tire_change',
  'personal_best',
  'stopped',
  'investigation',
  'penalty',
  'penalty_served',
  'lap_deleted',
  'blue_flag',
  'black_and_white_flag',
  'drs_enabled',
  'drs_disabled',
  'rain_start',
  'rain_stop',
  'battle_start',
  'battle_end',
  'milestone',
  'team_radio',
  'championship_change',
] as const;

export type RaceEventType = (typeof RACE_EVENT_TYPES)[number];

const NUMBERS: ReadonlyMap<string, number> = new Map(RACE_EVENT_TYPES.map((type, index) => [type, index + 1]));

/** The type's number, from 1, or undefined if there is no such type. */
export function raceEventTypeNumber(type: string): number | undefined {
  return NUMBERS.get(type);
}
