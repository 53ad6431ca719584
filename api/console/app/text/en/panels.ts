// The panels of the theatre.

import type { EventsRacePayload, RaceEventType } from '#api/client/payloads.ts';

type EventData<Event extends RaceEventType> = Extract<EventsRacePayload, { readonly event: Event }>['data'];

/** What an event says: `who` is the code of the driver who acts, `code` finds that of another. */
type EventWords = {
  readonly [Event in RaceEventType]: (data: EventData<Event>, who: string, code: (number: string) => string) => string;
};

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason.toLowerCase()}`);
/** Race control does not always name a driver. */
const of = (who: string, words: string): string =>
  who === '' ? words.charAt(0).toUpperCase().concat(words.slice(1)) : `${who}: ${words}`;
const atTurn = (turn: number | undefined): string => (turn === undefined ? '' : ` at turn ${turn}`);

const MOVE_CAUSES = {
  pit_stop: 'in the pit stops',
  penalty: 'by a penalty',
  retirement: 'by a retirement',
  start: 'at the start',
  other: '',
};
const RETIRED_BY = { collision: ' after a collision', incident: ' after an incident', stopped: ': the car stopped' };
const BATTLE_ENDS = {
  gap: 'the gap grew',
  order: 'another car came between',
  pits: 'one pits',
  stopped: 'one has stopped',
  neutralised: 'the race is neutralised',
};
const STAGES = {
  noted: 'incident noted',
  under_investigation: 'under investigation',
  after_session: 'to be investigated after the session',
  no_further_action: 'no further action',
};
const PENALTIES = {
  time: 'time penalty',
  drive_through: 'drive-through',
  stop_and_go: 'stop and go',
  grid: 'grid penalty',
  other: 'penalty',
};

const penaltyWords = ({ penalty, seconds: time, places, reason }: EventData<'penalty'>): string => {
  const size = time !== undefined ? `${time} s ` : places !== undefined ? `${counted(places, 'place', 'places')} ` : '';
  return `${size}${PENALTIES[penalty]}${because(reason)}`;
};
const moveWords = ({ places, cause, position }: EventData<'position_gained'>, verb: string): string =>
  `${verb} ${counted(places, 'place', 'places')} ${MOVE_CAUSES[cause]}`.trim().concat(`, now P${position}`);

const eventWords: EventWords = {
  session_start: () => 'The session starts',
  session_end: ({ winner }) => (winner === null ? 'The session ends' : `The session ends: ${winner.name} is first`),
  overtake: ({ overtakenNumber, position }, who, code) => `${who} passes ${code(overtakenNumber)} for P${position}`,
  lead_change: ({ previousLeaderNumber }, who, code) => `${who} leads, before ${code(previousLeaderNumber)}`,
  pit_entry: ({ stop }, who) => `${who} pits (visit ${stop})`,
  pit_exit: ({ pitLaneMs }, who) =>
    `${who} leaves the pits${pitLaneMs === undefined ? '' : ` after ${seconds(pitLaneMs)}`}`,
  fastest_lap: ({ time }, who) => `${who} has the fastest lap: ${time.display}`,
  retirement: ({ cause }, who) => `${who} is out${cause === null ? '' : RETIRED_BY[cause.kind]}`,
  safety_car_deployed: () => 'Safety car',
  safety_car_ending: () => 'The safety car comes in this lap',
  virtual_safety_car_deployed: () => 'Virtual safety car',
  virtual_safety_car_ending: () => 'The virtual safety car is about to end',
  red_flag: () => 'Red flag',
  yellow_flag: () => 'Yellow flag',
  track_clear: () => 'The track is clear',
  chequered_flag: () => 'Chequered flag',
  session_resumed: () => 'The session continues',
  session_aborted: () => 'The session is interrupted',
  segment_start: ({ part }) => `Part ${part} starts`,
  segment_end: ({ part }) => `Part ${part} is over`,
  knocked_out: ({ position }, who) => `${who} is knocked out in P${position}`,
  position_gained: (data, who) => `${who} ${moveWords(data, 'gains')}`,
  position_lost: (data, who) => `${who} ${moveWords(data, 'loses')}`,
  pit_stop: ({ stop, pitLaneMs, stationaryMs }, who) =>
    `${who} stops (visit ${stop}): ${stationaryMs === undefined ? '' : `${seconds(stationaryMs)} standing, `}${seconds(pitLaneMs)} in the pit lane`,
  fastest_pit_stop: ({ measure, stationaryMs, pitLaneMs }, who) =>
    `${who} has the fastest stop: ${seconds(measure === 'stationary' && stationaryMs !== undefined ? stationaryMs : pitLaneMs)}`,
  double_stack: ({ apartMs }, who) => `${who} and the teammate pit together, ${seconds(apartMs)} apart`,
  tire_change: ({ compound, newTires }, who) =>
    `${who} takes ${newTires === true ? 'new ' : newTires === false ? 'used ' : ''}${compound.toLowerCase()} tires`,
  personal_best: ({ time }, who) => `${who} has an own best lap: ${time.display}`,
  stopped: (_, who) => `${who} has stopped on the track`,
  investigation: ({ stage, reason, turn }, who) => of(who, `${STAGES[stage]}${atTurn(turn)}${because(reason)}`),
  penalty: (data, who) => `${who}: ${penaltyWords(data)}`,
  penalty_served: (data, who) => `${who} has served: ${penaltyWords(data)}`,
  lap_deleted: ({ time, turn, reason }, who) =>
    `${who} loses a lap time${time === undefined ? '' : ` of ${time.display}`}${atTurn(turn)}${because(reason)}`,
  blue_flag: (_, who) => `Blue flag for ${who}`,
  black_and_white_flag: (_, who) => `Black and white flag for ${who}`,
  drs_enabled: () => 'DRS may be used',
  drs_disabled: () => 'DRS may not be used',
  rain_start: () => 'It rains',
  rain_stop: () => 'The rain has stopped',
  battle_start: ({ position, gapMs }, who) => `${who} fights for P${position}, ${seconds(gapMs)} behind`,
  battle_end: ({ position, cause, durationMs }, who) =>
    `${who}'s fight for P${position} ends after ${seconds(durationMs)}: ${BATTLE_ENDS[cause]}`,
  milestone: ({ percent, lapsCompleted, totalLaps }) =>
    `Race done to ${percent} %: ${lapsCompleted} of ${totalLaps} laps`,
  team_radio: (_, who) => `${who} on the radio`,
  championship_change: ({ championship, team }, who) =>
    championship === 'teams'
      ? `${team ?? who} would lead the teams' championship`
      : `${who} would lead the championship`,
};

/** The first three of an order, for labels of charts. */
const leaders = (codes: readonly string[]): string => codes.slice(0, 3).join(', ');

export const panels = {
  asTable: 'As a table',
  driver: 'Driver',
  lap: 'Lap',
  lapOf: (lap: number) => `Lap ${lap}`,
  none: '–',
  legend: 'Drivers: choose one to bring its line forward',
  forRaces: 'Laps are counted in races. This session is none.',
  noLaps: 'The first lap has not been completed yet.',

  positionsTitle: 'Positions by lap',
  positionsLabel: (lap: number, order: readonly string[]) =>
    `Line chart of positions by lap. After lap ${lap}: ${leaders(order)} in front.`,
  position: (position: number) => `P${position}`,

  gapsTitle: 'Gaps to the leader',
  gapsLabel: (lap: number, order: readonly string[]) =>
    `Line chart of the gaps to the leader by lap, in seconds. After lap ${lap}: ${leaders(order)} in front.`,
  gap: (gap: number) => (gap === 0 ? 'leads' : `+${gap.toFixed(1)}`),
  gapTick: (gap: number) => `${gap} s`,

  mapTitle: 'Track map',
  mapNone: 'This recording has no positions of the cars, or your plan does not include them.',
  mapLearning: (cars: number) =>
    `${counted(cars, 'car is', 'cars are')} located. The track appears once a car has driven a whole lap.`,
  mapLabel: (cars: number, order: readonly string[]) =>
    `Track map with ${counted(cars, 'car', 'cars')}. In front: ${leaders(order)}.`,
  mapNote: 'The outline is learned from the path of one car.',

  chancesTitle: 'Chances of a win',
  chancesNone: 'The model has not reported yet. It does so once a lap in races.',
  chancesNotInPlan: 'Your plan does not include models: you see them in the demo race.',
  chancesSeePlans: 'See what each plan includes',
  chancesLabel: (order: readonly string[]) => `Line chart of the chances of a win over time. Now: ${order.join(', ')}.`,
  chance: (chance: number) =>
    chance > 0 && chance < 0.01 ? '< 1%' : chance < 1 && chance > 0.99 ? '> 99%' : `${Math.round(chance * 100)}%`,
  chanceOf: (code: string, chance: string) => `${code} ${chance}`,
  chancesTime: 'Time',
  chancesAbout: 'How good is this?',
  chancesModel:
    'The model takes gaps, pace and the stops to come, and mixes in retirements and safety cars. It leaves out penalties, damage, future weather and team orders.',
  chancesMeasured:
    'Measured on five recorded races, at a quarter, half and three quarters of the distance: its score for all places (the ranked probability score, where less is better) was 0.046, 0.044 and 0.030 below that of the order at that moment.',

  tyresTitle: 'Tire strategies',
  tyresNone: 'No tires are known yet.',
  tyresLabel: 'Tires by driver, in the order of the race',
  compounds: {
    hypersoft: 'hypersoft',
    ultrasoft: 'ultrasoft',
    supersoft: 'supersoft',
    soft: 'soft',
    medium: 'medium',
    hard: 'hard',
    intermediate: 'intermediate',
    wet: 'wet',
    unknown: 'unknown',
  },
  compoundLetters: {
    hypersoft: 'HS',
    ultrasoft: 'US',
    supersoft: 'SS',
    soft: 'S',
    medium: 'M',
    hard: 'H',
    intermediate: 'I',
    wet: 'W',
    unknown: '?',
  },
  stint: (compound: string, laps: number, isNew: boolean | null) =>
    `${isNew === null ? '' : isNew ? 'new ' : 'used '}${compound}, ${counted(laps, 'lap', 'laps')}`,
  stops: (count: number) => counted(count, 'stop', 'stops'),
  stopTimes: (times: readonly string[]) => `standing ${times.join(', ')} s`,

  eventsTitle: 'Race events',
  eventsNone: 'Nothing has happened yet.',
  eventsNoneOfKind: 'Nothing of this kind has happened yet.',
  eventsShow: 'Show',
  eventsAll: 'All events',
  eventGroups: { order: 'Order and fights', pits: 'Pits and tires', laps: 'Laps', control: 'Race control' },
  eventWords,

  updatesTitle: 'Raw updates',
  updatesNone: 'No update has come yet.',
  updatesFeed: 'Feed',
  updatesAll: 'All feeds',
  updatesPause: 'Pause the list',
  updatesResume: 'Resume the list',
  updatesList: 'The latest updates, the newest first. Choose one to see all of it; that pauses the list.',
  updatesBytes: (bytes: number) => (bytes < 10_000 ? `${bytes} B` : `${Math.round(bytes / 1_000)} kB`),
  updatesChosen: (feed: string, sequence: number) => `${feed}, number ${sequence}`,
  updatesNoneChosen: 'Choose an update to see all of it.',
};
