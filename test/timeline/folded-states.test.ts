import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STATE_FOLD_UPDATES_MAX, STATE_STEP_UPDATES_MAX } from '#engine/base/limits.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import type { Update } from '#engine/timeline/update.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

const ALL = FEEDS.map(({ feedId }) => feedId);
const update = (feed: Update['feed'], content: Update['content']): Update => ({
  feed,
  utcMs: Date.UTC(2026, 0, 1),
  lap: null,
  eventType: null,
  touched: [],
  content,
});

/** Laps of two drivers in turn, and now and then another feed. */
function laps(count: number) {
  const builder = new TimelineBuilder({ sessionId: 'small-race', seriesId: 'f1' }, (_feed, payload) =>
    JSON.stringify(payload),
  );
  for (let index = 0; index < count; index++) {
    const number = String(index % 2);
    if (index % 500 === 250) builder.append(update('lap.count', { data: { currentLap: index } }));
    else if (index % 500 === 251) builder.append(update('events.race', { event: 'overtake', drivers: [] }));
    else
      builder.append(update('timing.data', { drivers: [{ number, lapsCompleted: index, [`odd${index % 7}`]: true }] }));
  }
  return builder.build(count, Date.UTC(2026, 0, 1));
}

test('a state is the last update, or what all changes leave behind; feeds of events have none', () => {
  const timeline = laps(1_000);
  const [lapCount, timing, ...others] = new FoldedStates()
    .at('one', timeline, 760, ALL)!
    .map((text) => JSON.parse(text));
  assert.deepEqual(others, []);
  assert.equal(lapCount.feed, 'lap.count');
  assert.deepEqual([lapCount.sequence, lapCount.data.currentLap], [751, 750]);
  assert.deepEqual(
    [timing.sequence, timing.drivers.map((driver: { lapsCompleted: number }) => driver.lapsCompleted)],
    [760, [758, 759]],
  );
});

test('before the first update there is no state, and none of a feed that was not asked for', () => {
  const timeline = laps(600);
  const states = new FoldedStates();
  assert.deepEqual(states.at('one', timeline, 0, ALL), []);
  assert.deepEqual(states.at('one', timeline, 250, ['lap.count', 'events.race']), []);
  assert.equal(states.at('one', timeline, 251, ['lap.count'])!.length, 1);
});

test('which question comes first changes no byte: kept states are those from the start', () => {
  const timeline = laps(3 * STATE_STEP_UPDATES_MAX);
  const positions = [
    1,
    STATE_STEP_UPDATES_MAX - 1,
    STATE_STEP_UPDATES_MAX,
    STATE_STEP_UPDATES_MAX + 1,
    timeline.length,
  ];
  const expected = positions.map((position) => new FoldedStates().at('one', timeline, position, ALL));
  for (const order of [positions, positions.toReversed()]) {
    const states = new FoldedStates();
    for (const position of order) {
      assert.deepEqual(states.at('one', timeline, position, ALL), expected[positions.indexOf(position)], `${position}`);
    }
  }
});

test('a timeline of another key has states of its own', () => {
  const states = new FoldedStates();
  const [long, short] = [laps(STATE_STEP_UPDATES_MAX + 10), laps(STATE_STEP_UPDATES_MAX + 10)];
  short.columns.bodies.fill(0x20, short.columns.bodyStart[5], short.columns.bodyStart[6]! - 2);
  short.columns.bodies.set(Buffer.from('{}'), short.columns.bodyStart[6]! - 2);
  const first = states.at('long', long, long.length, ['timing.data']);
  assert.notDeepEqual(states.at('short', short, short.length, ['timing.data']), first);
  assert.deepEqual(states.at('long', long, long.length, ['timing.data']), first);
});

test('the next question about a session reads only the updates since the last kept state', () => {
  const timeline = laps(STATE_STEP_UPDATES_MAX + 10);
  const states = new FoldedStates();
  const first = states.at('one', timeline, timeline.length, ALL);
  const { bodies, bodyStart } = timeline.columns;
  bodies.fill(0x21, 0, bodyStart[STATE_STEP_UPDATES_MAX - 1000]);
  assert.deepEqual(states.at('one', timeline, timeline.length, ALL), first);
});

test('a question takes a bounded part of the work at a time, and resumes where it was', () => {
  const timeline = laps(2 * STATE_FOLD_UPDATES_MAX + 10);
  const states = new FoldedStates();
  const ask = () => states.at('one', timeline, timeline.length, ['timing.data']);
  assert.deepEqual([ask(), ask()], [null, null]);
  const [timing] = ask()!.map((text) => JSON.parse(text));
  assert.equal(timing.sequence, timeline.length);
  assert.equal(states.at('one', timeline, timeline.length, ['lap.count'])!.length, 1, 'a last update needs no folding');
});
