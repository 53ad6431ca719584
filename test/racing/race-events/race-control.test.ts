// Every form of race control message in recordings and golden sessions, and its event with stage or kind of penalty.
// Null: the text makes no event. Flags, safety cars and the chequered flag are null, because other rules emit them from
// the track status and the fields of the message.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { RACE_CONTROL_TEXT_CHARS_MAX } from '#engine/base/limits.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { raceControlEventOf } from '#engine/racing/race-events/race-control-text.ts';
import type { RaceEventOf } from '#engine/racing/race-events/race-event-rule.ts';
import { F1_SESSIONS } from '#test/racing/golden/golden-sessions.ts';
import { ALL_SESSIONS, DUMPED_SESSIONS, recorded } from '#test/racing/real-sessions.ts';
import { at, DRIVERS, eventsFrom, raceControl, raceEventsFrom, raceUnderWay } from '#test/racing/scripted-session.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

const FORMS: Readonly<Record<string, string | null>> = {
  '# PLACE GRID PENALTY FOR CARS - REASON': 'penalty grid',
  '# SECOND TIME PENALTY FOR CARS - REASON': 'penalty time',
  'ABORTED START': null,
  'ALL PASS HOLDERS MAY ACCESS THE PIT LANE': null,
  'BLACK AND WHITE FLAG FOR CARS - REASON': 'black_and_white_flag',
  'CARS LAP DELETED - REASON': 'lap_deleted',
  'CARS MISSED THE APEX OF TURN #': null,
  'CARS OFF TRACK AND CONTINUED AT TURN #': null,
  'CARS STOPPED AT TURN #': null,
  'CARS TIME T DELETED - REASON': 'lap_deleted',
  'CHEQUERED FLAG': null,
  'CLEAR IN TRACK SECTOR #': null,
  'CORRECTION: INCIDENT INVOLVING CARS NOTED - REASON': 'investigation noted',
  'CORRECTION: SPRINT WILL START AT T': null,
  'DOUBLE YELLOW IN TRACK SECTOR #': null,
  'DRS DETECTION AT D# INACTIVE - MANUAL OPERATION PERMITTED': null,
  'DRS DETECTION AT D# NOW AUTOMATICALLY ACTIVE': null,
  'DRS DISABLED IN ZONE #': null,
  'DRS DISABLED': 'drs',
  'DRS ENABLED IN ZONE #': null,
  'DRS ENABLED': 'drs',
  'F# - POST-SPRINT PARC FERME - WORK MAY COMMENCE AT T': null,
  'FIA STEWARDS: # SECOND STOP/GO PENALTY FOR CARS - REASON': 'penalty stop_and_go',
  'FIA STEWARDS: # SECOND TIME PENALTY FOR CARS - REASON': 'penalty time',
  'FIA STEWARDS: DRIVE THROUGH PENALTY FOR CARS - REASON': 'penalty drive_through',
  'FIA STEWARDS: INCIDENT INVOLVING CARS NO FURTHER ACTION - REASON': 'investigation no_further_action',
  'FIA STEWARDS: INCIDENT INVOLVING CARS REVIEWED NO FURTHER INVESTIGATION - REASON': 'investigation no_further_action',
  'FIA STEWARDS: INCIDENT INVOLVING CARS UNDER INVESTIGATION - REASON': 'investigation under_investigation',
  'FIA STEWARDS: INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE SPRINT - REASON': 'investigation after_session',
  'FIA STEWARDS: LAP # TURN # INCIDENT INVOLVING CARS REVIEWED NO FURTHER INVESTIGATION - REASON':
    'investigation no_further_action',
  'FIA STEWARDS: LAP # TURN # INCIDENT INVOLVING CARS REVIEWED NO FURTHER INVESTIGATION':
    'investigation no_further_action',
  'FIA STEWARDS: PENALTY SERVED - # SECOND TIME PENALTY FOR CARS - REASON': 'penalty_served time',
  'FIA STEWARDS: PENALTY SERVED - DRIVE THROUGH PENALTY FOR CARS - REASON': 'penalty_served drive_through',
  'FIA STEWARDS: PIT LANE INCIDENT INVOLVING CARS UNDER INVESTIGATION - REASON': 'investigation under_investigation',
  'FIA STEWARDS: PIT LANE INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE SPRINT - REASON':
    'investigation after_session',
  'FIA STEWARDS: Q# INCIDENT INVOLVING CARS NO FURTHER ACTION - REASON': 'investigation no_further_action',
  'FIA STEWARDS: Q# INCIDENT INVOLVING CARS NOTED - REASON': 'investigation noted',
  'FIA STEWARDS: Q# INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE SESSION - REASON':
    'investigation after_session',
  'FIA STEWARDS: REPRIMAND PENALTY FOR CARS - REASON': 'penalty other',
  'FIA STEWARDS: TURN # INCIDENT INVOLVING CARS NO FURTHER ACTION - REASON': 'investigation no_further_action',
  'FIA STEWARDS: TURN # INCIDENT INVOLVING CARS REVIEWED NO FURTHER INVESTIGATION - REASON':
    'investigation no_further_action',
  'FIA STEWARDS: TURN # INCIDENT INVOLVING CARS REVIEWED NO FURTHER INVESTIGATION': 'investigation no_further_action',
  'FIA STEWARDS: TURN # INCIDENT INVOLVING CARS UNDER INVESTIGATION - REASON': 'investigation under_investigation',
  'FIA STEWARDS: TURN # INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE SESSION - REASON':
    'investigation after_session',
  'FIA STEWARDS: TURN # INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE SPRINT - REASON':
    'investigation after_session',
  'FIRST CAR TO TAKE THE FLAG - CARS': null,
  'FIRST LAP INCIDENTS AT TURNS # AND # ALL NOTED': 'investigation noted',
  'FORMATION LAP WILL BE STARTED BEHIND THE SAFETY CAR': null,
  'FORMATION LAP WILL START AT T': null,
  'GREEN LIGHT - PIT EXIT OPEN': null,
  'INCIDENT INVOLVING CARS NOTED - REASON': 'investigation noted',
  'INCIDENT INVOLVING CARS UNDER INVESTIGATION - REASON': 'investigation under_investigation',
  'INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE RACE - REASON': 'investigation after_session',
  'LAP # TURN # INCIDENT INVOLVING CARS NOTED - REASON': 'investigation noted',
  'LAP # TURN # INCIDENT INVOLVING CARS NOTED': 'investigation noted',
  'LAP # TURN # INCIDENT NOTED': 'investigation noted',
  'LAPPED CAR MAY NOW OVERTAKE THE SAFETY CAR: #': null,
  'LAPPED CARS MAY NOW OVERTAKE - #,#,#,#,#': null,
  'LAPPED CARS MAY NOW OVERTAKE THE SAFETY CAR: #, #, #, #': null,
  'LOW GRIP CONDITIONS': null,
  'MEDICAL CAR DEPLOYED': null,
  'PINK HEAD PADDING MATERIAL MUST BE USED': null,
  'PIT EXIT CLOSED': null,
  'PIT LANE ENTRY CLOSED': null,
  'PIT LANE ENTRY OPEN': null,
  'PIT LANE INCIDENT INVOLVING CARS NOTED - REASON': 'investigation noted',
  'PIT LANE INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE RACE - REASON': 'investigation after_session',
  'Q# WILL RESUME AT T': null,
  'Q# WILL START AT T': null,
  'RECOVERY VEHICLE ON TRACK AT TURN #': null,
  'RECOVERY VEHICLE ON TRACK BEFORE TURN #': null,
  'RED FLAG': null,
  'RISK OF RAIN FOR F# QUALIFYING IS #%': null,
  'RISK OF RAIN FOR F# RACE IS #%': null,
  'RISK OF RAIN FOR F# SPRINT IS #%': null,
  'SAFETY CAR DEPLOYED': null,
  'SAFETY CAR IN THIS LAP': null,
  'SAFETY CAR THROUGH THE PIT LANE': null,
  'SAFETY CAR WILL USE START/FINISH STRAIGHT': null,
  'SESSION WILL RESUME AT T': null,
  'SPRINT WILL RESUME AT T': null,
  'SPRINT WILL START AT T': null,
  'STANDING START': null,
  'START OF Q# WILL BE DELAYED': null,
  'STARTING PROCEDURE SUSPENDED': null,
  'TRACK CLEAR': null,
  'TRACK SURFACE SLIPPERY IN TRACK SECTOR #': null,
  'TURN # INCIDENT INVOLVING CARS NOTED - NO INVESTIGATION NECESSARY': 'investigation no_further_action',
  'TURN # INCIDENT INVOLVING CARS NOTED - REASON': 'investigation noted',
  'TURN # INCIDENT INVOLVING CARS NOTED': 'investigation noted',
  'TURN # INCIDENT INVOLVING CARS UNDER INVESTIGATION': 'investigation under_investigation',
  'TURN # INCIDENT INVOLVING CARS WILL BE INVESTIGATED AFTER THE RACE': 'investigation after_session',
  'VIRTUAL SAFETY CAR DEPLOYED': null,
  'VIRTUAL SAFETY CAR ENDING': null,
  'WAVED BLUE FLAG FOR CARS TIMED AT T': 'blue_flag',
  'YELLOW IN PIT LANE': null,
  'YELLOW IN TRACK SECTOR #': null,
};

/** Replaces what the form ignores: drivers, times, numbers and reasons. */
function formOf(text: string): string {
  return text
    .trim()
    .replace(/\d+ \([A-Z]{3}\)(?:(?:,| AND|\s)+\d+ \([A-Z]{3}\))*/g, 'CAR')
    .replace(/\d+:[\d:.]+(?: \(\w+\))?/g, 'T')
    .replace(/CARS? CAR/, 'CARS')
    .replace(/\d+/g, '#')
    .replace(/((?:NOTED|INVESTIGATION|ACTION|DELETED|CARS|AFTER THE \w+)\s*[-–])(?! NO INV) ?.*$/, '$1 REASON');
}

function messagesOf(frames: readonly Frame[]): JsonObject[] {
  return frames
    .filter(({ topic }) => topic === 'RaceControlMessages')
    .flatMap(({ json }) => Object.values(objectOf(JSON.parse(json).Messages)).map(objectOf))
    .filter(({ Category, Message }) => Category !== undefined && Message !== undefined);
}

function outcomeOf(message: JsonObject): string | null {
  if (message.Category === 'Drs') return 'drs';
  const event = raceControlEventOf(message);
  if (event === null) return null;
  const { type, data } = event;
  if ('stage' in data) return `${type} ${data.stage}`;
  return 'penalty' in data ? `${type} ${data.penalty}` : type;
}

test('every form of message in the sessions makes the event in the table, or none on purpose', () => {
  const seen = new Set<string>();
  for (const { frames } of [...F1_SESSIONS, ...recorded(...ALL_SESSIONS, ...DUMPED_SESSIONS)]) {
    for (const message of messagesOf(frames)) {
      const form = formOf(message.Message as string);
      seen.add(form);
      assert.ok(Object.hasOwn(FORMS, form), `a new form: ${form}`);
      assert.equal(outcomeOf(message), FORMS[form], message.Message as string);
    }
  }
  assert.ok(seen.size > 20, `${seen.size} forms`);
  if (WITHOUT_RECORDINGS === false) {
    assert.deepEqual(
      Object.keys(FORMS).filter((form) => !seen.has(form)),
      [],
    );
  }
});

test('an event has what its message says: drivers, turn, reason, seconds, lap and time', () => {
  const said = (Message: string) => raceControlEventOf({ Category: 'Other', Message });
  const text =
    'FIA STEWARDS: TURN 4 INCIDENT INVOLVING CARS 10 (GAS), 43 (COL) AND 5 (BOR) NOTED - CAUSING A COLLISION';
  assert.deepEqual(said(text), {
    type: 'investigation',
    numbers: ['10', '43', '5'],
    data: { message: text, stage: 'noted', reason: 'CAUSING A COLLISION', turn: 4 },
  });
  const penalty = '10 SECOND TIME PENALTY FOR CAR 9 (ERI) - CAUSING A COLLISION';
  assert.deepEqual(said(penalty), {
    type: 'penalty',
    numbers: ['9'],
    data: { message: penalty, penalty: 'time', seconds: 10, reason: 'CAUSING A COLLISION' },
  });
  const deleted = 'CAR 7 (DOO) TIME 2:13.457 DELETED - TRACK LIMITS AT TURN 11 LAP 3 12:35:26';
  assert.deepEqual(said(deleted), {
    type: 'lap_deleted',
    numbers: ['7'],
    data: {
      message: deleted,
      reason: 'TRACK LIMITS',
      time: { display: '2:13.457', ms: 133_457 },
      lap: 3,
      turn: 11,
    },
  });
  assert.equal(said('CAR 5 (VET) STOPPED AT TURN 5'), null);
  const kinds = ['10 SECOND STOP AND GO', 'STOP/GO', '3 PLACE GRID', 'REPRIMAND'].map((kind) =>
    said(`${kind} PENALTY FOR CAR 9 (ERI) - X`),
  );
  assert.deepEqual(
    kinds.map((event) =>
      event?.type === 'penalty' ? [event.data.penalty, event.data.seconds, event.data.places] : event,
    ),
    [
      ['stop_and_go', 10, undefined],
      ['stop_and_go', undefined, undefined],
      ['grid', undefined, 3],
      ['other', undefined, undefined],
    ],
  );
});

test('a flag for a driver names him, and a flag for a driver who does not take part makes no event', () => {
  const flag = (seconds: number, Flag: string, RacingNumber: string) =>
    raceControl(seconds, { Category: 'Flag', Scope: 'Driver', Flag, RacingNumber, Message: `${Flag} FLAG` });
  const frames = [...raceUnderWay(), flag(5, 'BLUE', '4'), flag(6, 'BLACK AND WHITE', '44'), flag(7, 'BLUE', '99')];
  assert.deepEqual(eventsFrom(frames).slice(1), ['blue_flag NOR', 'black_and_white_flag HAM']);
});

test('a key of the driver list that is no racing number is no driver', () => {
  const named = 'no number';
  const frames = [
    ...raceUnderWay(),
    at(4, 'DriverList', { [named]: { Tla: 'XXX' } }),
    raceControl(5, { Category: 'Flag', Scope: 'Driver', Flag: 'BLUE', RacingNumber: named, Message: 'BLUE FLAG' }),
  ];
  assert.deepEqual(eventsFrom(frames, ['blue_flag']), []);
});

test('a long text is parsed in bounded time, and a text that is too long makes no event', () => {
  const texts = [
    `DRIVE THROUGH PENALTY FOR CAR ${' '.repeat(100_000)}-`,
    `${'INCIDENT INVOLVING CARS '.repeat(10_000)}NOTED`,
    `FIA STEWARDS: ${'A PENALTY FOR CARS '.repeat(10_000)}- `,
  ];
  const startedMs = performance.now();
  for (const Message of texts) assert.equal(raceControlEventOf({ Message }), null);
  assert.ok(performance.now() - startedMs < 2_000);
  const reason = 'X'.repeat(RACE_CONTROL_TEXT_CHARS_MAX - 60);
  const text = `FIA STEWARDS: DRIVE THROUGH PENALTY FOR CAR 4 (NOR) - ${reason}`;
  assert.equal((raceControlEventOf({ Message: text }) as RaceEventOf<'penalty'>).data.reason, reason);
});

test('DRS events come when DRS changes, not for every message', () => {
  const drs = (seconds: number, Status: string) => raceControl(seconds, { Category: 'Drs', Status });
  const frames = [drs(1, 'ENABLED'), drs(2, 'ENABLED'), drs(3, 'DISABLED'), drs(4, 'ENABLED')];
  assert.deepEqual(eventsFrom(frames), ['drs_enabled', 'drs_disabled', 'drs_enabled']);
});

test('messages in the first snapshot are history, even recent ones; new messages after a gap make events', () => {
  const message = (seconds: number) => ({
    ...JSON.parse(raceControl(seconds, {}).json).Messages,
  });
  const penaltyAt = (seconds: number, key: number) => ({
    [key]: {
      ...(Object.values(message(seconds))[0] as object),
      Category: 'Other',
      Message: 'DRIVE THROUGH PENALTY FOR CAR 4 (NOR)',
    },
  });
  const drivers = at(0, 'DriverList', DRIVERS);
  const joined = at(10, 'RaceControlMessages', { _kf: true, Messages: penaltyAt(9, 0) });
  assert.deepEqual(eventsFrom([drivers, joined]), []);
  const after = at(20, 'RaceControlMessages', { _kf: true, Messages: { ...penaltyAt(9, 0), ...penaltyAt(15, 1) } });
  assert.deepEqual(eventsFrom([drivers, joined, after]), ['penalty NOR']);
});

test('an incident of several drivers names them all', () => {
  const Message = 'TURN 1 INCIDENT INVOLVING CARS 1 (VER) AND 44 (HAM) UNDER INVESTIGATION - CAUSING A COLLISION';
  const [event] = raceEventsFrom([...raceUnderWay(), raceControl(5, { Category: 'Other', Message })]).slice(1);
  assert.deepEqual(
    event!.drivers.map(({ tla }) => tla),
    ['VER', 'HAM'],
  );
  assert.equal(event!.data.stage, 'under_investigation');
});
