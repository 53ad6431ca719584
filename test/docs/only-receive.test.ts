// The program of docs/receiving.md for an endpoint with `snapshot`, which asks for nothing: from the snapshots and the updates
// that it gets it has the service's states.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FoldedStates } from '#engine/timeline/folded-states.ts';
import { bodyOf, makeSnapshots } from '#engine/timeline/snapshots.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { GOLDEN_SESSIONS } from '#test/racing/golden/golden-sessions.ts';
import { payloadsOf } from '#test/racing/real-sessions.ts';
import { byFeed, type State, unordered } from '#test/support/documented-state.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { blocks, read } from './documents.ts';

interface Program {
  readonly received: (headers: Readonly<Record<string, string>>, payload: unknown) => State | undefined;
}

const ALL = FEEDS.map(({ feedId }) => feedId);

test('a receiver that only receives has the states, in each of two replays at once', async (t) => {
  const folder = temporaryFolder(t);
  const documented = blocks(read('docs/receiving.md'));
  for (const [mark, file] of [
    ['state', 'state.mjs'],
    ['only-receive', 'receiver.mjs'],
  ])
    writeFileSync(join(folder, file!), documented.find((block) => block.mark === mark)!.text);
  const { received } = (await import(join(folder, 'receiver.mjs'))) as Program;
  for (const { sessionId, timeline } of GOLDEN_SESSIONS) {
    const states = new FoldedStates();
    const middle = timeline.length >> 1;
    const snapshots = makeSnapshots(states, sessionId, timeline, middle)!;
    const run = { 'x-service-replay-run-id': `run of ${sessionId}` };
    const kept = new Map<string, State>();
    const other = { 'x-service-replay-run-id': 'run of another' };
    const payloads = [
      ...snapshots.parts.map((part) => JSON.parse(Buffer.from(bodyOf(snapshots, part)).toString())),
      ...payloadsOf(timeline).slice(middle),
    ];
    for (const payload of payloads) {
      received(other, payload);
      const state = received(run, payload);
      if (state !== undefined) kept.set(payload.feed, state);
    }
    const expected = byFeed(states.at(sessionId, timeline, timeline.length, ALL)!.map((text) => JSON.parse(text)));
    assert.deepEqual(unordered(kept), unordered(expected), sessionId);
  }
});
