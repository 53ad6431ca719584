// What the updates of a session leave behind, against what the session's source says in the end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { isCompressed } from '#engine/racing/normalise/samples.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';
import type { ChangeTree } from '#engine/racing/session/merge.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { FEED_STATES } from '#schemas/webhook/feed-states.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { GOLDEN_SESSIONS } from './golden/golden-sessions.ts';
import { recorded, type TestSession } from './real-sessions.ts';

interface Content {
  readonly drivers?: readonly Readonly<Record<string, unknown>>[];
}

const ALL = FEEDS.map(({ feedId }) => feedId);
const ajv = new Ajv({ allowUnionTypes: true, strict: true });
const validators = new Map(FEEDS.map(({ feedId }) => [feedId as string, ajv.compile(PAYLOAD_SCHEMAS[feedId])]));
const SESSIONS: readonly TestSession[] = [
  ...GOLDEN_SESSIONS,
  ...recorded('2018-azerbaijan-race', '2025-azerbaijan-qualifying'),
];

/** What each feed would emit if all that its topics say in the end came in one message. */
function inTheEnd({ head, frames }: TestSession): ReadonlyMap<string, Content> {
  const series = seriesOf(head.seriesId);
  const state = new SessionState(series.facts);
  const rows = series.feedRows();
  const topics = new Set([...rows.map(({ topic }) => topic), ...series.feedRows().map(({ topic }) => topic)]);
  for (const { topic, json } of frames)
    if (topics.has(topic) && !isCompressed(topic)) state.apply(topic, JSON.parse(json));
  const contents = new Map<string, Content>();
  for (const { topic, feed, normalise } of rows) {
    if (isCompressed(topic)) continue;
    const all = normalise(state.topic(topic) as ChangeTree, state);
    // The second topic of a feed says the same again.
    if (all.length > 0 && !contents.has(feed)) contents.set(feed, JSON.parse(JSON.stringify(all.at(-1))));
  }
  return contents;
}

/**
 * What is to be the same. An entry shows the position and identity that the driver had when it was made: they may have
 * changed since. What the source has removed is null in an update, and absent in the end.
 */
function values({ drivers, ...rest }: Content): unknown {
  const entries = drivers
    ?.map(({ driverId, tla, name, team, constructorId, position, ...entry }) => entry)
    .filter((entry) => Object.keys(entry).length > 1)
    .toSorted((a, b) => Number(a.number) - Number(b.number));
  return withoutNulls({ ...rest, ...(entries !== undefined && { drivers: entries }) });
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(parts.map(([name, part]) => [name, withoutNulls(part)]));
}

for (const session of SESSIONS) {
  test(`${session.sessionId}: the updates of a feed leave behind what its topic says in the end`, () => {
    const { timeline } = session;
    const states = new FoldedStates().at('one', timeline, timeline.length, ALL)!.map((text) => JSON.parse(text));
    const byFeed = new Map(states.map((state) => [state.feed as string, state]));
    let compared = 0;
    for (const [feed, content] of inTheEnd(session)) {
      if (FEED_STATES[feed as keyof typeof FEED_STATES].kind === 'none') continue;
      const { feed: _feed, seriesId, sessionId, sequence, utc, lap, ...kept } = byFeed.get(feed);
      assert.deepEqual(values(kept), values(content), feed);
      compared++;
    }
    assert.ok(compared > 2);
  });

  test(`${session.sessionId}: a state is a valid payload of its feed, at any time`, () => {
    const { timeline } = session;
    const states = new FoldedStates();
    for (const part of [0.01, 0.4, 1]) {
      for (const text of states.at('one', timeline, Math.round(part * timeline.length), ALL)!) {
        const state = JSON.parse(text);
        const isValid = validators.get(state.feed)!;
        assert.ok(isValid(state), `${state.feed}: ${ajv.errorsText(isValid.errors)}`);
      }
    }
  });
}
