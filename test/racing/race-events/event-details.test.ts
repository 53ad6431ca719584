// What events say beyond their type: the kind of session and its winner, the places of an overtake, and why a car
// retired.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Frame } from '#engine/racing/frame.ts';
import { payloadsOf, timelineOf } from '#test/racing/real-sessions.ts';
import { at, driveOn, lines, order, raceControl, raceEventsFrom, raceUnderWay } from '#test/racing/scripted-session.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

const status = (seconds: number, Status: string) => at(seconds, 'SessionStatus', { Status });

test('session_start says which kind of session it is, and null while nobody has said', () => {
  const kindOf = (...frames: Frame[]) =>
    raceEventsFrom([...frames, status(1, 'Inactive'), status(2, 'Started')])[0]!.data;
  const info = (Type: string, Name: string) => at(0, 'SessionInfo', { Type, Name });
  assert.deepEqual(kindOf(info('Race', 'Race')), { sessionType: 'Race' });
  assert.deepEqual(kindOf(info('Race', 'Sprint')), { sessionType: 'Sprint' });
  assert.deepEqual(kindOf(info('Qualifying', 'Sprint Shootout')), { sessionType: 'Sprint Qualifying' });
  assert.deepEqual(kindOf(info('Practice', 'Practice 1')), { sessionType: 'Practice' });
  assert.deepEqual(kindOf(), { sessionType: null });
});

test('session_end has the winner: the driver in first place, or null while that is not known', () => {
  const ended = (...frames: Frame[]) => raceEventsFrom([...frames, status(60, 'Finalised')], ['session_end'])[0]!;
  const { data, drivers } = ended(...raceUnderWay());
  assert.deepEqual(data, {
    sessionType: 'Race',
    winner: {
      driverId: 'max-verstappen',
      number: '1',
      tla: 'VER',
      name: 'Max Verstappen',
      team: 'Red Bull Racing',
      constructorId: 'red-bull-racing',
      position: 1,
    },
  });
  assert.deepEqual(drivers, []);
  const unknown = ended(status(0, 'Inactive'), status(1, 'Started'));
  assert.deepEqual(unknown.data, { sessionType: null, winner: null });
  const shared = ended(...raceUnderWay(), order(30, [4]));
  assert.equal(shared.data.winner, null);
});

interface Placed {
  readonly tla: string;
  readonly positionBefore: number;
  readonly positionAfter: number;
}

test('an overtake names both drivers with their places before and after the pass', () => {
  const twice = [...raceUnderWay(), order(10, [44, 4, 16], 2), ...driveOn(12, 4, 16), ...driveOn(25, 1, 4, 16, 44)];
  const [first, second] = raceEventsFrom(twice, ['overtake']).map(({ data }) => data);
  const placesOf = (placed: unknown) => {
    const { tla, positionBefore, positionAfter } = placed as Placed;
    return `${tla} ${positionBefore}-${positionAfter}`;
  };
  assert.deepEqual([first!.overtaking, first!.overtaken].map(placesOf), ['HAM 4-2', 'NOR 2-3']);
  assert.deepEqual([second!.overtaking, second!.overtaken].map(placesOf), ['HAM 4-2', 'LEC 3-4']);
  assert.deepEqual([first!.overtakenNumber, first!.position], ['4', 2]);
  assert.deepEqual(first!.overtaken, {
    driverId: 'lando-norris',
    number: '4',
    tla: 'NOR',
    name: 'Lando Norris',
    team: 'McLaren',
    constructorId: 'mclaren',
    positionBefore: 2,
    positionAfter: 3,
  });
});

test('the places of an overtake are those of the pass, even if the order changes until it is sent', () => {
  const pass = [order(10, [16, 4], 2), ...driveOn(12, 4), lines(15, { 1: { InPit: true } }), order(16, [16, 4, 1])];
  const [overtake] = raceEventsFrom([...raceUnderWay(), ...pass, ...driveOn(25, 4, 16)], ['overtake']);
  const { overtaking, overtaken, position } = overtake!.data as unknown as Record<
    'overtaking' | 'overtaken',
    Placed
  > & {
    position: number;
  };
  assert.deepEqual([overtaking.positionBefore, overtaking.positionAfter], [3, 2]);
  assert.deepEqual([overtaken.positionBefore, overtaken.positionAfter], [2, 3]);
  assert.equal(position, 1);
});

const says = (seconds: number, Message: string) => raceControl(seconds, { Category: 'Other', Message });
const stops = lines(600, { 44: { Stopped: true } });
const retires = lines(700, { 44: { Retired: true } });

function causeOf(...frames: Frame[]): unknown {
  const sorted = frames.toSorted((a, b) => a.utcMs - b.utcMs);
  return raceEventsFrom([...raceUnderWay(), ...sorted], ['retirement'])[0]!.data.cause;
}

test('a retirement has the cause that race control gives: a collision, an incident, or where the car stopped', () => {
  const collision = 'TURN 12 INCIDENT INVOLVING CARS 16 (LEC) AND 44 (HAM) NOTED - CAUSING A COLLISION';
  assert.deepEqual(causeOf(stops, says(690, collision), retires), {
    kind: 'collision',
    turn: 12,
    otherNumbers: ['16'],
    message: collision,
  });
  const incident = 'TURN 3 INCIDENT INVOLVING CARS 44 (HAM), 4 (NOR) AND 63 (RUS) NOTED';
  assert.deepEqual(causeOf(says(590, incident), stops, retires), {
    kind: 'incident',
    turn: 3,
    otherNumbers: ['4', '63'],
    message: incident,
  });
  // The reason comes later. The incident is the one that stopped the car.
  const reason = 'FIA STEWARDS: TURN 3 INCIDENT INVOLVING CARS 44 (HAM), 4 (NOR) AND 63 (RUS) UNDER INVESTIGATION';
  const known = causeOf(says(590, incident), stops, says(690, `${reason} - CAUSING A COLLISION`), retires);
  assert.equal((known as { kind: string }).kind, 'collision');
  const stopped = 'CAR 44 (HAM) STOPPED AT TURN 5';
  assert.deepEqual(causeOf(says(590, stopped), stops, retires), {
    kind: 'stopped',
    turn: 5,
    otherNumbers: [],
    message: stopped,
  });
  assert.equal(
    (causeOf(says(590, stopped), says(650, collision), stops, retires) as { kind: string }).kind,
    'collision',
  );
});

test('a retirement has no cause if race control gives none, or speaks of something else', () => {
  const earlier = says(400, 'TURN 3 INCIDENT INVOLVING CARS 44 (HAM) AND 4 (NOR) NOTED - CAUSING A COLLISION');
  const decided = 'FIA STEWARDS: TURN 3 INCIDENT INVOLVING CARS 44 (HAM) AND 4 (NOR) UNDER INVESTIGATION';
  const causes = [
    causeOf(stops, retires),
    causeOf(earlier, stops, retires),
    // The stewards take up an old incident: it did not happen again.
    causeOf(earlier, says(610, `${decided} - CAUSING A COLLISION`), stops, retires),
    causeOf(says(610, 'TURN 3 INCIDENT INVOLVING CARS 16 (LEC) AND 4 (NOR) NOTED'), stops, retires),
    causeOf(says(590, 'INCIDENT INVOLVING CAR 44 (HAM) NOTED - SPEEDING IN THE PIT LANE'), stops, retires),
    causeOf(says(590, '10 SECOND TIME PENALTY FOR CAR 44 (HAM) - CAUSING A COLLISION'), stops, retires),
    causeOf(says(800, 'CAR 44 (HAM) STOPPED AT TURN 5'), stops, retires),
  ];
  assert.deepEqual(
    causes,
    causes.map(() => null),
  );
});

describe('recordings', { skip: WITHOUT_RECORDINGS }, () => {
  test('session_end has the winner that the race history has', () => {
    const winners = Object.fromEntries(
      ['2018-azerbaijan-race', '2025-miami-sprint', '2020-belgium-race', '2025-australia-race'].map((session) => {
        const ends = payloadsOf(timelineOf(session), 'events.race').filter(({ event }) => event === 'session_end');
        return [
          session,
          ends.map(({ data }) => [data.sessionType, (data.winner as Placed | null)?.tla ?? null].join()),
        ];
      }),
    );
    assert.deepEqual(winners, {
      '2018-azerbaijan-race': ['Race,HAM'],
      '2025-miami-sprint': ['Sprint,NOR'],
      '2020-belgium-race': ['Race,HAM'],
      '2025-australia-race': ['Race,NOR'],
    });
  });

  test('the causes of real retirements are those that race control gave in time', () => {
    const causes = (session: string) =>
      payloadsOf(timelineOf(session), 'events.race')
        .filter(({ event }) => event === 'retirement')
        .map(({ drivers, data }) => `${drivers[0]!.tla} ${(data.cause as { kind: string } | null)?.kind ?? ''}`.trim());
    assert.deepEqual(causes('2018-azerbaijan-race'), ['OCO', 'SIR', 'HUL stopped', 'RIC', 'VER', 'GRO']);
    assert.deepEqual(causes('2025-miami-sprint'), ['LEC', 'SAI', 'ALO collision']);
  });
});
