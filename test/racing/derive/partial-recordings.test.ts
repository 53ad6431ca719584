// Recordings that begin in the middle, or lack topics: models and events begin as soon as what they need is known.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openSource } from '#engine/intake/source/open-source.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { PRACTICE, QUALIFYING, RACE } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf } from '#test/racing/real-sessions.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';

const HEAD = { sessionId: 'partial', seriesId: 'f1' };

/** Returns what models and rules say of the frames, without sequences. */
function saidOf(frames: Iterable<Frame>): { readonly feed: string; readonly utc: string; readonly event?: string }[] {
  return payloadsOf(deriveTimeline(HEAD, frames))
    .filter(({ feed }) => feed.startsWith('analytics.') || feed === 'events.race')
    .map(({ sequence: _, ...payload }) => payload);
}

function without(frames: readonly Frame[], ...topics: readonly string[]): Frame[] {
  return frames.filter(({ topic }) => !topics.includes(topic));
}

function countsOf(frames: Iterable<Frame>): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { feed, event } of saidOf(frames)) counts[event ?? feed] = (counts[event ?? feed] ?? 0) + 1;
  return counts;
}

describe('a session that nothing names', () => {
  test('a race is known by its laps, with all of its models and events', () => {
    const named = saidOf(RACE.frames);
    const nameless = saidOf(without(RACE.frames, 'SessionInfo'));
    // Start and end say the kind of session, and a sprint pays other points, which only the name tells.
    const alike = ({ feed, event }: { feed: string; event?: string }) =>
      !['analytics.championship', 'analytics.team-points'].includes(feed) &&
      event !== 'session_start' &&
      event !== 'session_end';
    assert.ok(named.length > 100);
    assert.deepEqual(nameless.filter(alike), named.filter(alike));
  });

  test('qualifying is known by its parts, with all of its models and events', () => {
    const named = saidOf(QUALIFYING.frames);
    const nameless = saidOf(without(QUALIFYING.frames, 'SessionInfo'));
    const alike = ({ event }: { event?: string }) => event !== 'session_start' && event !== 'session_end';
    assert.ok(named.some(({ feed }) => feed === 'analytics.qualifying'));
    assert.deepEqual(nameless.filter(alike), named.filter(alike));
  });

  test('a practice is neither', () => {
    const counts = countsOf(without(PRACTICE.frames, 'SessionInfo'));
    assert.equal(
      Object.keys(counts).find((name) => /^analytics|^segment|overtake/.test(name)),
      undefined,
    );
  });
});

test('the log of the session tells its status where no other topic does', () => {
  const frames = without(QUALIFYING.frames, 'SessionInfo', 'SessionStatus');
  const statuses = payloadsOf(deriveTimeline(HEAD, frames), 'session.status').map(({ data }) => data.status);
  const told = payloadsOf(QUALIFYING.timeline, 'session.status').map(({ data }) => data.status);
  const log = payloadsOf(QUALIFYING.timeline, 'session.data').flatMap(({ data }) =>
    (data.statusSeries as readonly { readonly sessionStatus?: string }[]).flatMap((entry) => entry.sessionStatus ?? []),
  );
  assert.deepEqual(statuses, log);
  assert.ok(statuses.length > 3 && told.length >= statuses.length);
  const { segment_end } = countsOf(QUALIFYING.frames);
  assert.equal(countsOf(frames).segment_end, segment_end);
});

test('a race that is joined in its middle has overtakes, battles and pace from then on', () => {
  const half = without(RACE.frames.slice(RACE.frames.length >> 1), 'SessionInfo', 'SessionStatus');
  const counts = countsOf(half);
  for (const name of ['battle_start', 'analytics.true-pace', 'analytics.gap-projection']) assert.ok(counts[name], name);
});

describe('recordings that lack the state at their beginning', { skip: WITHOUT_RECORDINGS }, () => {
  const dumped = (name: string) => [...openSource(dataPath(`fastf1-text/${name}/saved_data.txt`)).frames()];

  test('Baku 2025: the second and third part of qualifying', () => {
    const counts = countsOf(dumped('2025-azerbaijan-qualifying'));
    assert.deepEqual([counts.segment_start, counts.knocked_out], [2, 5]);
    assert.ok(counts['analytics.qualifying']! > 20);
  });

  test('Sao Paulo 2025, sprint: battles, overtakes and pace', () => {
    const counts = countsOf(dumped('2025-saopaulo-sprint'));
    assert.deepEqual([counts.battle_start, counts.battle_end, counts.overtake], [6, 6, 5]);
    // Most positions are reported late, one by one. Nobody loses a place by that.
    assert.deepEqual([counts.position_gained, counts.position_lost], [undefined, undefined]);
    assert.ok(counts['analytics.true-pace']! >= 5);
  });
});
