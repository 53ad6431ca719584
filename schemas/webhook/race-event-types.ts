// The values of `event` in the feed `events.race`, and of the filter `eventTypes`.
// A row's index plus one is its number in timelines (0 means: not a race event): append only, never reorder.

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
] as const;

export type RaceEventType = (typeof RACE_EVENT_TYPES)[number];

const NUMBERS: ReadonlyMap<string, number> = new Map(RACE_EVENT_TYPES.map((type, index) => [type, index + 1]));

/** The type's number from 1, or undefined when there is no such type. */
export function raceEventTypeNumber(type: string): number | undefined {
  return NUMBERS.get(type);
}
