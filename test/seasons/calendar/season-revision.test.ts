import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { SessionType } from '#engine/racing/session-slug.ts';
import { openCalendar } from '#engine/seasons/calendar/open-calendar.ts';
import {
  type CalendarEvent,
  type CalendarSession,
  PLANNED_MS,
  type SeasonCalendar,
  type VagueSession,
} from '#engine/seasons/calendar/season-calendar.ts';
import { type KnownSession, reviseSeasons } from '#engine/seasons/calendar/season-revision.ts';
import { dataPath, F1DB, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

const NOTHING = { cancelled: [], removed: [] };
const YEAR = 2031;

type Plan = Readonly<Record<string, string>>;

/** An event with sessions at these days and times. The name decides the type: `practice-1`, `race`. */
function event(
  place: string,
  plan: Plan,
  { season = YEAR, vague = [] as readonly VagueSession[] } = {},
): CalendarEvent {
  const eventId = `${season}-${place}`;
  const types: Readonly<Record<string, SessionType>> = {
    race: 'Race',
    sprint: 'Sprint',
    qualifying: 'Qualifying',
    'sprint-qualifying': 'Sprint Qualifying',
  };
  const sessions = Object.entries(plan).map(([name, start]): CalendarSession => {
    const type = types[name] ?? 'Practice';
    const startUtcMs = Date.parse(`${season}-${start}:00Z`);
    return { sessionId: `${eventId}-${name}`, type, startUtcMs, endUtcMs: startUtcMs + PLANNED_MS[type] };
  });
  return { eventId, seriesId: 'f1', season, round: 1, name: place, circuitName: place, sessions, vague };
}

function complete(...events: readonly CalendarEvent[]): SeasonCalendar {
  return { events, complete: true, leftOut: [] };
}

function index(...events: readonly CalendarEvent[]): SeasonCalendar {
  return { events, complete: false, leftOut: [] };
}

function known(...events: readonly CalendarEvent[]): KnownSession[] {
  return events.flatMap(({ eventId, seriesId, season, sessions }) =>
    sessions.map((session) => ({ ...session, eventId, seriesId, season, cancelled: false })),
  );
}

function at(day: string, season = YEAR): number {
  return Date.parse(`${season}-${day.length > 5 ? day : `${day}T00:00`}:00Z`);
}

const SPAIN_PLAN = {
  'practice-1': '05-09T11:30',
  'practice-2': '05-09T15:00',
  'practice-3': '05-10T10:30',
  qualifying: '05-10T14:00',
  race: '05-11T13:00',
};
const SPAIN = event('spain', SPAIN_PLAN);
const MIAMI = event('miami', { qualifying: '05-02T20:00', race: '05-03T20:00' });
const MONACO = event('monaco', { qualifying: '05-24T14:00', race: '05-25T13:00' });
const ALL = known(MIAMI, SPAIN, MONACO);
const IDS = (one: CalendarEvent) => one.sessions.map(({ sessionId }) => sessionId);

function without(one: CalendarEvent, ...names: readonly string[]): CalendarEvent {
  return { ...one, sessions: one.sessions.filter(({ sessionId }) => !names.some((name) => sessionId.endsWith(name))) };
}

test('Y1: a future session that is missing from an event still listed is cancelled', () => {
  const given = [MIAMI, without(SPAIN, 'practice-3'), MONACO];
  for (const calendar of [complete(...given), index(...given)]) {
    assert.deepEqual(reviseSeasons(ALL, calendar, at('05-09')), {
      cancelled: ['2031-spain-practice-3'],
      removed: [],
    });
    // Just before its planned end, and at its planned end, when it counts as held.
    assert.equal(reviseSeasons(ALL, calendar, at('05-10T11:29')).cancelled.length, 1);
    assert.deepEqual(reviseSeasons(ALL, calendar, at('05-10T11:30')), NOTHING);
  }
});

test('Y2: a session whose event is missing is cancelled; if it was over, only by a complete calendar', () => {
  const given = [MIAMI, MONACO];
  for (const calendar of [complete(...given), index(...given)]) {
    assert.deepEqual(reviseSeasons(ALL, calendar, at('05-07')).cancelled, IDS(SPAIN));
  }
  assert.deepEqual(reviseSeasons(ALL, index(...given), at('05-10T12:00')).cancelled, IDS(SPAIN).slice(3));
  assert.deepEqual(reviseSeasons(ALL, index(...given), at('06-01')), NOTHING);
  assert.deepEqual(reviseSeasons(ALL, complete(...given), at('06-01')).cancelled, IDS(SPAIN));
});

test('a session moved within its weekend or to another one is neither cancelled nor removed', () => {
  const later = event('spain', { ...SPAIN_PLAN, qualifying: '05-11T09:00' });
  const autumn = event('spain', { 'practice-1': '10-03T11:30', qualifying: '10-04T14:00', race: '10-05T13:00' });
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, later, MONACO), at('05-10T15:00')), NOTHING);
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, MONACO, autumn), at('05-08')), {
    cancelled: ['2031-spain-practice-2', '2031-spain-practice-3'],
    removed: [],
  });
});

test('Y3: a renamed event is removed, an event replaced by another on its weekend is cancelled', () => {
  const sameTimes = event('barcelona', { qualifying: '05-10T14:00', race: '05-11T13:05' });
  const otherTimes = event('barcelona', {
    'practice-3': '05-10T14:00',
    qualifying: '05-10T18:00',
    race: '05-11T15:00',
  });
  for (const now of ['05-07', '06-01']) {
    assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, sameTimes, MONACO), at(now)), {
      cancelled: [],
      removed: IDS(SPAIN),
    });
    assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, otherTimes, MONACO), at(now)).cancelled, IDS(SPAIN));
  }
});

test('Y3: sessions replaced by a sprint weekend are removed, but a session that only moved replaces none', () => {
  const sprint = event('spain', {
    'practice-1': '05-09T11:30',
    'sprint-qualifying': '05-09T15:30',
    sprint: '05-10T11:00',
    qualifying: '05-10T15:00',
    race: '05-11T13:00',
  });
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, sprint, MONACO), at('02-01')), {
    cancelled: [],
    removed: ['2031-spain-practice-2', '2031-spain-practice-3'],
  });
  const early = event('spain', { ...SPAIN_PLAN, qualifying: '05-10T10:30' });
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, without(early, 'practice-3'), MONACO), at('02-01')), {
    cancelled: ['2031-spain-practice-3'],
    removed: [],
  });
});

test('Y4: sessions outside the span of an index stay, and so does one that a nameless session may be', () => {
  assert.deepEqual(reviseSeasons(ALL, index(MIAMI), at('05-05')), NOTHING);
  assert.deepEqual(reviseSeasons(ALL, index(MONACO), at('05-05')), NOTHING);
  assert.deepEqual(reviseSeasons(ALL, index(MIAMI, without(SPAIN, 'qualifying', 'race')), at('05-05')), NOTHING);
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI), at('05-05')).cancelled, [...IDS(SPAIN), ...IDS(MONACO)]);
  const nameless = { ...without(SPAIN, 'qualifying'), vague: [{ sessionId: null, day: '2031-05-10' }] };
  assert.deepEqual(reviseSeasons(ALL, index(MIAMI, nameless, MONACO), at('05-05')), NOTHING);
  const other = { ...nameless, vague: [{ sessionId: null, day: '2031-05-09' }] };
  assert.equal(reviseSeasons(ALL, index(MIAMI, other, MONACO), at('05-05')).cancelled.length, 1);
});

test('Y4: an event without any times decides nothing about its sessions', () => {
  const bare = event('spain', {}, { vague: [{ sessionId: '2031-spain-race', day: '2031-05-11' }] });
  for (const now of ['05-05', '06-01']) {
    assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, bare, MONACO), at(now)), NOTHING);
  }
});

test('Y5: a session postponed to an unknown time is removed, whether its old day is over or not', () => {
  const sameDay = { ...without(SPAIN, 'race'), vague: [{ sessionId: '2031-spain-race', day: '2031-05-11' }] };
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, sameDay, MONACO), at('05-05')), NOTHING);
  const held = { ...without(SPAIN, 'race'), vague: [{ sessionId: '2031-spain-race', day: '2031-05-12' }] };
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, held, MONACO), at('05-12')).removed, ['2031-spain-race']);
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, held, MONACO), at('05-13')), NOTHING);
  const vague = [{ sessionId: '2031-spain-race', day: '2031-10-05' }];
  for (const now of ['05-05', '06-01']) {
    const event = { ...without(SPAIN, 'race'), vague };
    assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, event, MONACO), at(now)).removed, ['2031-spain-race']);
    const bare = { ...SPAIN, sessions: [], vague };
    assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, bare, MONACO), at(now)), {
      cancelled: [],
      removed: IDS(SPAIN),
    });
  }
});

test('Y6: a cancelled session stays cancelled, even if another takes its place, until it is listed again', () => {
  const before = [...known(MIAMI, MONACO), ...known(SPAIN).map((session) => ({ ...session, cancelled: true }))];
  const sameTimes = event('barcelona', { qualifying: '05-10T14:00', race: '05-11T13:00' });
  for (const calendar of [complete(MIAMI, MONACO), complete(MIAMI, sameTimes, MONACO), index(MIAMI)]) {
    assert.deepEqual(reviseSeasons(before, calendar, at('06-01')), NOTHING);
  }
  const back = event('spain', {}, { vague: [{ sessionId: '2031-spain-race', day: '2031-05-11' }] });
  assert.ok(reviseSeasons(before, complete(MIAMI, back, MONACO), at('05-05')).removed.includes('2031-spain-race'));
});

test('a calendar of one season or series decides nothing about another', () => {
  const next = event('miami', { race: '05-03T20:00' }, { season: YEAR + 1 });
  const spain = event('spain', { race: '05-11T13:00' }, { season: YEAR + 1 });
  const late = event('monaco', { race: '05-25T13:00' }, { season: YEAR + 1 });
  const before = [...ALL, ...known(next, spain, late)];
  // The index of the later season ends with its first race, and the season before continues after that date.
  assert.deepEqual(reviseSeasons(before, index(MIAMI, SPAIN, MONACO, next), at('01-01')), NOTHING);
  assert.deepEqual(reviseSeasons(before, index(MIAMI, SPAIN, MONACO, next, late), at('01-01')).cancelled, IDS(spain));
  const karting = { ...event('karting', { qualifying: '05-10T14:00', race: '05-11T13:00' }), seriesId: 'karting' };
  assert.deepEqual(reviseSeasons(ALL, complete(MIAMI, MONACO, karting), at('05-05')).cancelled, IDS(SPAIN));
});

function archive(season: number): SeasonCalendar {
  return openCalendar(dataPath('archive/_index'), { season, current: 2026 });
}

function f1db(season: number): SeasonCalendar {
  return openCalendar(F1DB, { season, current: 2026 });
}

/** The races as announced before the season. */
const ANNOUNCED_2020: Readonly<Record<string, string>> = {
  australia: '03-15T05:10',
  bahrain: '03-22T15:10',
  vietnam: '04-05T07:10',
  china: '04-19T06:10',
  netherlands: '05-03T13:10',
  spain: '05-10T13:10',
  monaco: '05-24T13:10',
  azerbaijan: '06-07T12:10',
  canada: '06-14T18:10',
  france: '06-28T13:10',
  austria: '07-05T13:10',
  britain: '07-19T14:10',
  hungary: '08-02T13:10',
  belgium: '08-30T13:10',
  italy: '09-06T13:10',
  singapore: '09-20T12:10',
  russia: '09-27T11:10',
  japan: '10-11T05:10',
  'united-states': '10-25T19:10',
  mexico: '11-01T19:10',
  brazilian: '11-15T17:10',
  'abu-dhabi': '11-29T13:10',
};

describe('real seasons', { skip: WITHOUT_RECORDINGS }, () => {
  test('the real indexes: nothing is cancelled while they grow with the season or lose its beginning', () => {
    for (const season of [2019, 2021, 2022, 2023]) {
      const { events } = archive(season);
      const before = known(...events);
      events.forEach((one, place) => {
        const nowMs = one.sessions[0]!.startUtcMs - 1;
        for (const given of [events.slice(0, place + 1), events.slice(place), events]) {
          assert.deepEqual(reviseSeasons(before, index(...given), nowMs), NOTHING, one.eventId);
        }
      });
    }
  });

  test('the real sources in turn: nothing is cancelled, and a race that took place stays', () => {
    for (const season of [2019, 2021, 2022, 2023]) {
      const before = known(...archive(season).events);
      assert.deepEqual(reviseSeasons(before, f1db(season), at('12-31', season)), NOTHING);
      // f1db lists the Istanbul race a week early.
      const turkey = before.filter(({ eventId }) => eventId === '2021-turkey').map(({ sessionId }) => sessionId);
      const revision = reviseSeasons(before, f1db(season), at('01-01', season));
      assert.deepEqual(revision, { cancelled: [], removed: turkey });
    }
    for (const season of [2024, 2025, 2026]) {
      assert.deepEqual(reviseSeasons(known(...f1db(season).events), f1db(season), at('06-01', season)), NOTHING);
    }
  });

  test('the real season 2023: Imola, called off two days before, is cancelled, and nothing else', () => {
    const imola = event(
      'emilia-romagna',
      {
        'practice-1': '05-19T11:30',
        'practice-2': '05-19T15:00',
        'practice-3': '05-20T10:30',
        qualifying: '05-20T14:00',
        race: '05-21T13:00',
      },
      { season: 2023 },
    );
    const before = known(...archive(2023).events, imola);
    const cancelled = { cancelled: IDS(imola), removed: [] };
    assert.deepEqual(reviseSeasons(before, archive(2023), at('05-17', 2023)), cancelled);
    assert.deepEqual(reviseSeasons(before, f1db(2023), at('05-17', 2023)), cancelled);
    assert.deepEqual(reviseSeasons(before, f1db(2023), at('06-30', 2023)), cancelled);
    assert.deepEqual(reviseSeasons(before, archive(2023), at('06-30', 2023)), NOTHING);
  });

  test('the real index 2019: Practice 3 in Japan would be cancelled if the index had dropped it', (t: TestContext) => {
    const { events } = archive(2019);
    const practice = '2019-japan-practice-3';
    const given = index(...events.map((one) => (one.eventId === '2019-japan' ? without(one, 'practice-3') : one)));
    t.diagnostic('the index has it without a path, like Practice 1 in Imola in 2021, which was held');
    assert.deepEqual(reviseSeasons(known(...events), given, at('10-11', 2019)), { cancelled: [practice], removed: [] });
  });

  test('the real season 2020: 13 races are cancelled, five moved, four unchanged', () => {
    const races = Object.entries(ANNOUNCED_2020).map(([place, race]) => event(place, { race }, { season: 2020 }));
    const { cancelled, removed } = reviseSeasons(known(...races), f1db(2020), at('03-13', 2020));
    const places = (ids: readonly string[]) => ids.map((id) => id.slice(5, -'-race'.length));
    assert.deepEqual(places(cancelled), [
      ...['australia', 'vietnam', 'china', 'netherlands', 'monaco', 'azerbaijan', 'canada', 'france', 'singapore'],
      ...['japan', 'united-states', 'mexico', 'brazilian'],
    ]);
    // f1db has no times before 2024, so only the new day of a moved race is known.
    assert.deepEqual(places(removed), ['bahrain', 'spain', 'britain', 'hungary', 'abu-dhabi']);
  });

  test('the real season 2026: Bahrain moved to autumn, Saudi Arabia is cancelled', () => {
    const { events } = f1db(2026);
    const weeksEarlier = (one: CalendarEvent): CalendarEvent => ({
      ...one,
      sessions: one.sessions.map((session) => ({
        ...session,
        startUtcMs: at('04-12', 2026),
        endUtcMs: at('04-13', 2026),
      })),
    });
    const jeddah = event('saudi-arabia', { qualifying: '04-18T17:00', race: '04-19T17:00' }, { season: 2026 });
    const before = known(...events.map((one) => (one.eventId === '2026-bahrain' ? weeksEarlier(one) : one)), jeddah);
    for (const now of ['03-15', '04-19T18:00', '11-21']) {
      assert.deepEqual(reviseSeasons(before, f1db(2026), at(now, 2026)), { cancelled: IDS(jeddah), removed: [] });
    }
  });
});
