// Derived updates must not change without a new DERIVER_VERSION. When they do, this test fails and says what to do.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEMO_SESSION_ID, demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import { DERIVER_VERSION, TIMELINE_DIGESTS } from '#engine/racing/derive/deriver-version.ts';
import { COLUMNS } from '#engine/timeline/artifact-format.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { GOLDEN_SESSIONS } from '#test/racing/golden/golden-sessions.ts';
import { timelineDigest } from './timeline-digest.ts';

function* timelines(): Generator<Timeline> {
  yield deriveTimeline({ sessionId: DEMO_SESSION_ID, seriesId: 'f1' }, demoSessionFrames());
  for (const { timeline } of GOLDEN_SESSIONS) yield timeline;
}

test('I7: the demo session and every golden session derive to the timelines of this DERIVER_VERSION', () => {
  const digests = Object.fromEntries(
    Array.from(timelines(), (timeline) => [timeline.info.sessionId, timelineDigest(timeline)]),
  );
  const other = Object.keys(digests).filter((session) => digests[session] !== TIMELINE_DIGESTS[session]);
  assert.deepEqual(
    digests,
    TIMELINE_DIGESTS,
    `${other.join(', ')}: the same frames give other updates than with DERIVER_VERSION ${DERIVER_VERSION}. ` +
      'If that is intended, raise DERIVER_VERSION in engine/racing/derive/deriver-version.ts and put the new digests ' +
      'there; otherwise installed services keep stale playback artifacts. If only the script of a session changed, put ' +
      'its new digest there and keep the version. In any other case, the change broke something. The new digests: ' +
      JSON.stringify(digests, null, 2),
  );
});

test('the digest changes with every column and the description of a timeline', () => {
  const [timeline] = GOLDEN_SESSIONS.map((session) => session.timeline).toSorted((a, b) => a.length - b.length);
  const { info, columns } = timeline!;
  const digests = new Set([timelineDigest(timeline!)]);
  for (const [name] of COLUMNS) {
    const changed = columns[name].slice();
    changed[changed.length - 1]! ^= 1;
    digests.add(timelineDigest({ ...timeline!, info, columns: { ...columns, [name]: changed } } as Timeline));
  }
  digests.add(timelineDigest({ ...timeline!, info: { ...info, frames: info.frames + 1 }, columns } as Timeline));
  assert.equal(digests.size, 1 + COLUMNS.length + 1);
});
