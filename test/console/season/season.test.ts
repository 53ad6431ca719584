// What the calendar page works out of a season.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CalendarEvent,
  type CalendarSession,
  eventState,
  fantasyPath,
  linksOf,
  liveOf,
  nextOf,
  seasonAsked,
  seasonOf,
  sessionName,
  splitEvents,
  utcText,
} from '#api/console/app/pages/calendar/season.ts';
import { livePath } from '#api/console/app/pages/theatre/replay-address.ts';

type Status = CalendarSession['status'];

const session = (id: string, day: string, status: Status, type: CalendarSession['type'] = 'Race'): CalendarSession => ({
  sessionId: `2026-${id}`,
  type,
  startDate: `2026-${day}T14:00:00.000Z`,
  status,
});
const event = (eventId: string, ...sessions: CalendarSession[]): CalendarEvent => ({
  eventId,
  name: eventId,
  circuitName: 'Somewhere',
  round: 1,
  sessions,
});

test('the next session is the earliest to come, whatever the order of the list; cancelled ones are none', () => {
  const later = event('b', session('b-race', '05-10', 'upcoming'));
  const sooner = event(
    'a',
    session('a-practice-1', '05-01', 'cancelled', 'Practice'),
    session('a-race', '05-03', 'upcoming'),
  );
  assert.equal(nextOf([later, sooner])?.session.sessionId, '2026-a-race');
  assert.equal(nextOf([event('c', session('c-race', '05-01', 'finished'))]), null);
});

test('an event is live with one session, to come until the last is over, and cancelled only as a whole', () => {
  const states = (...all: Status[]): CalendarEvent =>
    event('a', ...all.map((status, at) => session(`a-${at}`, `05-0${at + 1}`, status)));
  assert.equal(eventState(states('finished', 'live', 'upcoming')), 'live');
  assert.equal(eventState(states('finished', 'upcoming')), 'upcoming');
  assert.equal(eventState(states('finished', 'cancelled')), 'finished');
  assert.equal(eventState(states('cancelled', 'cancelled')), 'cancelled');
  assert.equal(liveOf([states('finished', 'live')]).length, 1);
});

test('a session leads to what there is of it', () => {
  const links = (status: Status, type: CalendarSession['type'], recorded: string[] = []) => {
    const held = session('a-it', '05-01', status, type);
    return linksOf({ event: event('2026-a', held), session: held }, new Set(recorded));
  };
  assert.deepEqual(links('upcoming', 'Practice'), { preview: null, theatre: null, fantasy: null });
  assert.equal(links('upcoming', 'Qualifying').preview, '/console/calendar/2026-a-it');
  const live = links('live', 'Race').theatre;
  assert.deepEqual([live?.kind, live?.path], ['live', livePath('2026-a-it')]);
  assert.equal(links('finished', 'Race').theatre, null);
  assert.equal(links('finished', 'Race', ['2026-a-it']).theatre?.kind, 'replay');
  assert.equal(links('upcoming', 'Race').fantasy, null);
  assert.equal(links('finished', 'Qualifying').fantasy, null);
  assert.equal(links('finished', 'Sprint').fantasy, '/console/fantasy?race=2026-a&session=sprint');
});

test('ids with signs of an address stay one part of it', () => {
  assert.equal(fantasyPath({ raceId: 'a&session=x', kind: 'race' }), '/console/fantasy?race=a%26session%3Dx');
});

test('the season is a year of racing, or the current one', () => {
  assert.equal(seasonAsked('2024'), 2024);
  for (const wrong of [undefined, '', 'x', '2024.5', '1', '99999']) assert.equal(seasonAsked(wrong), null);
  assert.equal(seasonOf([event('a', session('a', '03-08', 'finished'))]), 2026);
  assert.equal(seasonOf([]), null);
});

test('UTC is named with its day, which may be another one than the viewer has', () => {
  assert.equal(utcText('2026-11-29T16:00:00.000Z'), 'Sun 16:00 UTC');
  assert.equal(utcText('2026-11-29T23:30:00.000+02:00'), 'Sun 21:30 UTC');
});

test('events to come are sorted from now on, those that are over from now back', () => {
  const events = (['finished', 'cancelled', 'live', 'upcoming'] as const).map((status, at) =>
    event(`${at}`, session(`${at}`, `05-0${at + 1}`, status)),
  );
  const { ahead, over } = splitEvents(events);
  assert.deepEqual(
    [ahead, over].map((part) => part.map(({ eventId }) => eventId)),
    [
      ['2', '3'],
      ['1', '0'],
    ],
  );
});

test('practices have a number', () => {
  assert.equal(sessionName(session('a-practice-2', '05-01', 'upcoming', 'Practice')), 'Practice 2');
  assert.equal(sessionName(session('a-test', '05-01', 'upcoming', 'Practice')), 'Practice');
  assert.equal(sessionName(session('a-race', '05-01', 'upcoming')), 'Race');
});
