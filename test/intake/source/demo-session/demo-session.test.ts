import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { DEMO_SESSION_VERSION, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { DEMO_DRIVERS } from '#engine/intake/source/demo-session/grid.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { f1FeedRows } from '#engine/racing/series/f1-feeds.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';

// biome-ignore lint/suspicious/noExplicitAny: the test reads the upstream's untyped messages.
type Message = any;

const frames = demoSessionFrames();
const messages = frames.map((frame) => ({ ...frame, message: JSON.parse(frame.json) as Message }));

/** Every TimingData entry of a car, in order: [utcMs, racing number, fields]. */
function* timingEntries(): Generator<[number, string, Message]> {
  for (const { topic, utcMs, message } of messages) {
    if (topic !== 'TimingData') continue;
    for (const [number, fields] of Object.entries<Message>(message.Lines)) yield [utcMs, number, fields];
  }
}

function milliseconds(text: string): number {
  const [seconds, minutes] = text.replace('+', '').split(':').reverse();
  return Math.round((Number(minutes ?? 0) * 60 + Number(seconds)) * 1000);
}

test('I7: the built-in session has the same bytes on every machine', () => {
  const digest = createHash('sha256');
  for (const { utcMs, topic, json } of frames) digest.update(`${utcMs} ${topic} ${json}\n`);
  assert.deepEqual(
    { version: DEMO_SESSION_VERSION, digest: digest.digest('hex') },
    { version: 1, digest: '494439a97b270e7e20fec247161851e51686a945e7f0eca09ce02889cefe8a16' },
    'a change of the frames must raise DEMO_SESSION_VERSION, so that installed copies are replaced',
  );
});

test('frames are in time order, begin with a snapshot of each topic, and last about 15 minutes', () => {
  for (let i = 1; i < frames.length; i++) assert.ok(frames[i]!.utcMs >= frames[i - 1]!.utcMs);
  const minutes = (frames.at(-1)!.utcMs - frames[0]!.utcMs) / 60_000;
  assert.ok(minutes > 14 && minutes < 17, `${minutes} minutes`);
  assert.ok(frames.length > 6_000 && frames.length < 10_000, `${frames.length} frames`);
  for (const topic of ['TimingData', 'TimingAppData', 'DriverList']) {
    const first = messages.find((entry) => entry.topic === topic)!;
    assert.equal(Object.keys(topic === 'DriverList' ? first.message : first.message.Lines).length, 20, topic);
  }
});

test('twenty invented drivers have unique numbers and codes, two to a team', () => {
  assert.equal(new Set(DEMO_DRIVERS.map((driver) => driver.number)).size, 20);
  assert.equal(new Set(DEMO_DRIVERS.map((driver) => driver.tla)).size, 20);
  assert.equal(new Set(DEMO_DRIVERS.map((driver) => driver.team.name)).size, 10);
  for (const driver of DEMO_DRIVERS) assert.match(driver.tla, /^[A-Z]{3}$/);
});

test('positions are a permutation after every message', () => {
  const positions = new Map<string, string>();
  for (const { topic, message } of messages) {
    if (topic !== 'TimingData') continue;
    let moved = false;
    for (const [number, fields] of Object.entries<Message>(message.Lines)) {
      if (fields.Position === undefined) continue;
      assert.equal(fields.Position, String(fields.Line));
      positions.set(number, fields.Position);
      moved = true;
    }
    if (moved) assert.equal(new Set(positions.values()).size, 20);
  }
});

test('gaps are never negative, and no interval exceeds the gap to the leader', () => {
  let gaps = 0;
  for (const [, number, fields] of timingEntries()) {
    const gap: string = fields.GapToLeader ?? '';
    if (gap === '') continue;
    gaps++;
    if (gap.startsWith('LAP ')) continue;
    assert.match(gap, /^\+\d+\.\d{3}$|^\d+L$/, number);
    if (gap.endsWith('L')) continue;
    assert.ok(milliseconds(fields.IntervalToPositionAhead.Value) <= milliseconds(gap), number);
  }
  assert.ok(gaps > 3_000);
});

test('lap times are the sums of their sectors, and each new best is faster', () => {
  const sectors = new Map<string, number[]>();
  const bests = new Map<string, number>();
  let laps = 0;
  for (const [, number, fields] of timingEntries()) {
    const own = sectors.get(number) ?? [0, 0, 0];
    sectors.set(number, own);
    for (const [sector, { Value }] of Object.entries<Message>(fields.Sectors ?? {})) {
      if (Value) own[Number(sector)] = milliseconds(Value);
    }
    if (!fields.LastLapTime?.Value) continue;
    laps++;
    assert.equal(milliseconds(fields.LastLapTime.Value), own[0]! + own[1]! + own[2]!);
    if (fields.BestLapTime === undefined) continue;
    const best = milliseconds(fields.BestLapTime.Value);
    assert.ok(best < (bests.get(number) ?? Number.POSITIVE_INFINITY));
    bests.set(number, best);
  }
  assert.ok(laps > 160);
});

test('only one car at a time holds the overall best of a sector or of a lap', () => {
  const holders = new Map<string, Set<string>>();
  const mark = (what: string, number: string, overall: boolean | undefined): void => {
    const holding = holders.get(what) ?? new Set();
    holders.set(what, holding);
    if (overall === true) holding.add(number);
    if (overall === false) holding.delete(number);
  };
  for (const { topic, message } of messages) {
    if (topic !== 'TimingData') continue;
    for (const [number, fields] of Object.entries<Message>(message.Lines)) {
      mark('lap', number, fields.LastLapTime?.OverallFastest);
      for (const [sector, entry] of Object.entries<Message>(fields.Sectors ?? {})) {
        mark(sector, number, entry.OverallFastest);
      }
    }
    for (const [what, holding] of holders) assert.ok(holding.size <= 1, `${what}: ${[...holding]}`);
  }
});

test('every car that enters the pit lane leaves it, except the one that retires there', () => {
  const entries = new Map<string, number>();
  const exits = new Map<string, number>();
  const retired = new Set<string>();
  for (const [, number, fields] of timingEntries()) {
    if (fields.NumberOfPitStops !== undefined) entries.set(number, fields.NumberOfPitStops);
    if (fields.PitOut === true) exits.set(number, (exits.get(number) ?? 0) + 1);
    if (fields.Retired === true) retired.add(number);
  }
  assert.deepEqual([...retired].sort(), ['40', '60']);
  for (const [number, count] of entries) {
    assert.equal(exits.get(number) ?? 0, number === '60' ? count - 1 : count, `car ${number}`);
  }
  assert.ok(entries.size >= 18);
  const stints = messages.filter((entry) => entry.topic === 'TimingAppData' && /"Compound"/.test(entry.json));
  assert.equal(
    stints.length - 1,
    [...exits.values()].reduce((sum, count) => sum + count, 0),
  );
});

test('race control messages are numbered in the order in which they are sent', () => {
  const sent = messages.filter((entry) => entry.topic === 'RaceControlMessages');
  assert.ok(sent.length > 15);
  for (const [index, entry] of sent.entries()) assert.deepEqual(Object.keys(entry.message.Messages), [String(index)]);
});

test('the race has a safety car, yellow flags, a chequered flag and an end', () => {
  const values = (topic: string, key: string): string[] =>
    messages.filter((entry) => entry.topic === topic).map((entry) => entry.message[key]);
  assert.deepEqual(values('TrackStatus', 'Message'), [
    'AllClear',
    'Yellow',
    'AllClear',
    'Yellow',
    'SCDeployed',
    'AllClear',
    'Yellow',
    'AllClear',
  ]);
  assert.deepEqual(values('SessionStatus', 'Status'), ['Inactive', 'Started', 'Finished', 'Finalised', 'Ends']);
  assert.equal(values('LapCount', 'CurrentLap').at(-1), 10);
  assert.ok(messages.some((entry) => /CHEQUERED FLAG/.test(entry.json)));
});

test('the race has every kind of race event that fits its course', () => {
  const timeline = deriveTimeline({ sessionId: 'demo-race', seriesId: 'f1' }, frames);
  const counts = new Map<string, number>();
  for (const type of timeline.columns.eventType) {
    if (type === 0) continue;
    const name = RACE_EVENT_TYPES[type - 1]!;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const absent = RACE_EVENT_TYPES.filter((type) => !counts.has(type));
  // It is a dry race without interruptions or penalties. Its upstream sends no published stops, radio or predictions.
  const withoutReason = [
    ...['rain_start', 'rain_stop', 'red_flag', 'session_aborted', 'session_resumed'],
    ...['virtual_safety_car_deployed', 'virtual_safety_car_ending', 'segment_start', 'segment_end', 'knocked_out'],
    ...['investigation', 'penalty', 'penalty_served', 'lap_deleted', 'blue_flag', 'black_and_white_flag'],
    ...['fastest_pit_stop', 'team_radio', 'championship_change'],
  ];
  assert.deepEqual(absent.sort(), withoutReason.sort());
  for (const once of ['session_start', 'session_end', 'chequered_flag', 'safety_car_deployed', 'safety_car_ending']) {
    assert.equal(counts.get(once), 1, once);
  }
  assert.equal(counts.get('retirement'), 2);
  assert.equal(counts.get('pit_entry'), counts.get('pit_exit')! + 1, 'one car retires in the pit lane');
  assert.ok(counts.get('overtake')! >= 5 && counts.get('lead_change')! >= 2 && counts.get('fastest_lap')! >= 2);
});

test('every feed of the topics in the built-in session has updates, and so has every model of a race', () => {
  const timeline = deriveTimeline({ sessionId: 'demo-race', seriesId: 'f1' }, frames);
  const seen = new Set(timeline.columns.feed);
  const { length } = timeline;
  const topics = new Set(frames.map(({ topic }) => topic));
  const fed = new Set<string>(f1FeedRows().flatMap(({ topic, feed }) => (topics.has(topic) ? [feed] : [])));
  const made = FEEDS.filter(({ feedId }) => feedId.startsWith('analytics.') && feedId !== 'analytics.qualifying').map(
    ({ feedId }) => feedId,
  );
  assert.deepEqual(
    FEEDS.filter((_, index) => seen.has(index)).map(({ feedId }) => feedId),
    FEEDS.map(({ feedId }) => feedId).filter(
      (feedId) => fed.has(feedId) || feedId === 'events.race' || made.some((analytics) => analytics === feedId),
    ),
  );
  assert.ok(fed.size >= 12);
  assert.ok(length > 6_000 && length < 10_000, `${length} updates`);
});
