// A series that consists of a table and a schema works from frames to timeline and filter.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { CompiledFilter } from '#engine/delivery/filter/compiled-filter.ts';
import { deriveTimeline, SessionDeriver } from '#engine/racing/derive/derive.ts';
import { describeSession } from '#engine/racing/derive/describe-session.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { KARTING } from '#engine/racing/series/karting.ts';
import { KNOWN_SERIES, seriesOf } from '#engine/racing/series/known-series.ts';
import { factTopics } from '#engine/racing/session/session-facts.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import type { FilterSpec } from '#schemas/http/filter-spec.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS, serialisePayload } from '#schemas/webhook/payloads.ts';
import { payloadsOf } from '#test/racing/real-sessions.ts';
import { KART_RACE, KART_START_MS, kartMessage } from './kart-race.ts';

const HEAD = { sessionId: '2026-club-race', seriesId: 'karting' };
const timeline = deriveTimeline(HEAD, KART_RACE);

const ada = { driverId: 'ada-quick', number: '7', tla: 'ADA', name: 'Ada Quick', team: 'Red Shed' };
const cy = { driverId: 'cy-apex', number: '88', tla: 'CYA', name: 'Cy Apex', team: 'Red Shed' };

test('karting messages make payloads of the karting feeds', () => {
  const payloads = payloadsOf(timeline);
  assert.deepEqual(
    payloads.map(({ feed, drivers }) => [feed, ...(drivers ?? []).map(({ tla }) => tla)].join(' ')),
    [
      'karting.heat',
      'karting.entries ADA BEN CYA',
      'karting.heat',
      'karting.laps ADA BEN CYA',
      'karting.heat',
      'karting.laps ADA',
      'karting.laps BEN CYA',
      'karting.laps BEN',
      'karting.heat',
    ],
  );
  const envelope = { seriesId: 'karting', sessionId: '2026-club-race' };
  assert.deepEqual(payloads[4], {
    feed: 'karting.heat',
    ...envelope,
    sequence: 5,
    utc: '2026-05-03T14:00:58.000Z',
    lap: 2,
    data: { name: 'Final', status: 'running', currentLap: 2, totalLaps: 12 },
  });
  assert.deepEqual(payloads[5]!.drivers, [
    {
      ...ada,
      constructorId: 'red-shed',
      position: 1,
      lapsCompleted: 1,
      lastLap: { display: '48.213', ms: 48_213 },
      bestLap: { display: '48.213', ms: 48_213 },
    },
  ]);
  assert.deepEqual(payloads[6]!.drivers[1], {
    ...cy,
    constructorId: 'red-shed',
    position: 2,
    lapsCompleted: 1,
    lastLap: { display: '48.900', ms: 48_900 },
    gapToLeader: { display: '+0.687', seconds: 0.687 },
  });
  assert.equal(payloads[1]!.drivers[0]!.chassis, 'Kestrel');
});

test('karting payloads have exactly the fields of their schemas, and the messages match theirs', () => {
  const ajv = new Ajv({ allowUnionTypes: true, strict: true });
  for (const payload of payloadsOf(timeline)) {
    const schema = PAYLOAD_SCHEMAS[payload.feed as (typeof FEEDS)[number]['feedId']];
    assert.ok(ajv.validate(schema, payload), `${payload.feed}: ${ajv.errorsText(ajv.errors)}`);
  }
  for (const { topic, json } of KART_RACE) {
    assert.ok(ajv.validate(KARTING.messages[topic]!, JSON.parse(json)), `${topic}: ${ajv.errorsText(ajv.errors)}`);
  }
});

function matching(filters: FilterSpec): string[] {
  const subscriptions = FEEDS.filter(({ seriesId }) => seriesId === 'karting').map(({ feedId }) => ({
    feedId,
    filters: {},
    active: true,
  }));
  const settings = {
    webhookId: 'wh_1',
    webhookNo: 1,
    accountId: 'acc_1',
    url: 'https://hooks.example.com/',
    method: 'post' as const,
    active: true,
    secret: 's',
    previousSecret: null,
    headerLines: '',
    filters,
    subscriptions,
  };
  const filter = new CompiledFilter(settings, { allFeeds: false }, timeline);
  return payloadsOf(timeline)
    .filter((_, position) => filter.matches(position))
    .map(({ feed, sequence }) => `${feed.slice('karting.'.length)} ${sequence}`);
}

test('every driver key filters karts: code, number, team and position', () => {
  const heats = ['heat 1', 'heat 3', 'heat 5', 'heat 9'];
  const withHeats = (...rest: string[]) =>
    [...heats, ...rest].sort((a, b) => Number(a.split(' ')[1]) - Number(b.split(' ')[1]));
  assert.deepEqual(matching({ drivers: ['ada'] }), withHeats('entries 2', 'laps 4', 'laps 6'));
  assert.deepEqual(matching({ driverNumbers: ['88'] }), withHeats('entries 2', 'laps 4', 'laps 7'));
  assert.deepEqual(matching({ constructors: ['Red Shed'] }), withHeats('entries 2', 'laps 4', 'laps 6', 'laps 7'));
  assert.deepEqual(matching({ positions: { min: 3 } }), withHeats('laps 4', 'laps 7', 'laps 8'));
  assert.deepEqual(matching({ constructors: ['blue barn'], positions: { max: 2 } }), withHeats('laps 4'));
});

test('the id of a karting session is its year and name, from the meeting or as given', () => {
  assert.deepEqual(describeSession(KARTING, KART_RACE), {
    ...HEAD,
    name: 'Club Race',
    type: 'Race',
    circuitName: 'Northfield',
    season: 2026,
    startUtcMs: KART_START_MS,
  });
  const unnamed = [kartMessage(3, 'Heat', { lap: 1 })];
  const { name, season, startUtcMs } = describeSession(KARTING, unnamed, '2025-spring-cup');
  assert.deepEqual([name, season, startUtcMs], ['Spring Cup', 2025, KART_START_MS + 3_000]);
  assert.throws(() => describeSession(KARTING, unnamed), /^SourceError: Meeting: nothing says which session this is/);
  assert.throws(
    () => describeSession(KARTING, unnamed, 'cup'),
    /the id cup does not give the year and name of the session/,
  );
});

test('fields of an unexpected type count as missing, and a removed entry makes no update', () => {
  const frames = [
    ...KART_RACE.slice(0, 5),
    kartMessage(20, 'Heat', { lap: 'many' }),
    kartMessage(21, 'Laps', { 7: { last: 48, gap: {} }, kart: { laps: 1 } }),
    kartMessage(22, 'Karts', { _deleted: ['12'] }),
  ];
  const payloads = payloadsOf(deriveTimeline(HEAD, frames)).slice(4);
  assert.deepEqual(
    payloads.map(({ feed }) => feed),
    ['karting.heat', 'karting.laps'],
  );
  assert.equal(payloads[0]!.data.currentLap, null);
  assert.equal('lap' in payloads[0]!, false);
  assert.deepEqual([payloads[1]!.drivers[0]!.lastLap, payloads[1]!.drivers[0]!.gapToLeader], [null, null]);
});

test('a topic without a feed is still read for facts', () => {
  const feedRows = () => KARTING.feedRows().filter(({ feed }) => feed === 'karting.laps');
  const builder = new TimelineBuilder(HEAD, serialisePayload);
  const deriver = new SessionDeriver(builder, { ...KARTING, feedRows });
  for (const frame of KART_RACE) assert.equal(deriver.apply(frame), null);
  const payloads = payloadsOf(builder.build(KART_RACE.length, KART_RACE.at(-1)!.utcMs));
  assert.deepEqual(
    payloads.map(({ lap, drivers }) => [lap, drivers[0]!.tla]),
    [
      [1, 'ADA'],
      [2, 'ADA'],
      [2, 'BEN'],
      [2, 'BEN'],
    ],
  );
});

test('a series does not read the topics of another', () => {
  const head = { sessionId: 's', seriesId: 'f1' };
  assert.equal(deriveTimeline(head, KART_RACE).length, 0);
  assert.equal(deriveTimeline(HEAD, [kartMessage(0, 'LapCount', { CurrentLap: 1 })]).length, 0);
  assert.throws(() => seriesOf('chess'), /"chess" is not a known series\. Known series are f1, karting$/);
  assert.equal(seriesOf('f1'), F1);
});

test('every series has schemas for exactly the topics of its source that it reads, and its feeds are in the catalogue', () => {
  for (const series of KNOWN_SERIES) {
    const rows = series.feedRows();
    // What was known before a session comes from the history, not from the source.
    const facts = factTopics({ ...series.facts, preview: null });
    const read = new Set([...rows.map(({ topic }) => topic), ...facts, series.naming.topic]);
    assert.deepEqual([...read].sort(), Object.keys(series.messages).sort(), series.seriesId);
    const catalogue = FEEDS.filter(({ seriesId }) => seriesId === series.seriesId).map(({ feedId }) => feedId);
    const fed = new Set<string>(rows.map(({ feed }) => feed));
    if (series.raceEventRules().length > 0) fed.add('events.race');
    const analytics = catalogue.filter((feedId) => feedId.startsWith('analytics.'));
    assert.equal(series.analytics() === null, analytics.length === 0, series.seriesId);
    assert.deepEqual([...fed, ...analytics].sort(), [...catalogue].sort(), series.seriesId);
  }
});
