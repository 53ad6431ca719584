// What is left of a session that is over: its journal, for the deliveries that are left.

import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LiveJournals } from '#engine/intake/live/live-journals.ts';
import { LiveTimeline } from '#engine/timeline/live-timeline.ts';
import { changedDeriver, versionIn } from '#test/support/changed-deriver.ts';
import { begun, followSessions, RecordedLog, TEST_RACE_ID } from '#test/support/live-sessions.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = TEST_RACE_ID;

function journalsOf(dataDir: string) {
  const log = new RecordedLog();
  return { log, journals: new LiveJournals({ dataDir, clock: new SimulatedTime(), log }) };
}

test('the timeline of a session that is over is what it published, complete and sealed', async (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions } = followSessions(dataDir, { deriver: changedDeriver() });
  const session = begun(sessions);
  await sessions.end(session);
  const published = new LiveTimeline(session.memory).timeline;
  const { journals } = journalsOf(dataDir);
  const left = new LiveTimeline(journals.open(ID)!);
  assert.ok(left.sealed);
  assert.equal(left.timeline.length, published.length);
  assert.ok(published.length > 0);
  for (let position = 0; position < published.length; position++) {
    const body = Buffer.from(left.timeline.body(position)).toString();
    assert.equal(body, Buffer.from(published.body(position)).toString());
    assert.equal(versionIn(body), changedDeriver().version);
  }
  journals.remove(ID);
  assert.equal(journals.open(ID), null);
});

test('journals of sessions that are over are removed unless they are needed; those of live and damaged ones stay', (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions } = followSessions(dataDir);
  begun(sessions);
  const live = join(dataDir, 'live');
  for (const name of ['ending-race.updates', 'ending-race.over', 'left-race.updates', 'gone-race.updates'])
    writeFileSync(join(live, name), '');
  const { journals } = journalsOf(dataDir);
  journals.sweep((sessionId) => sessionId === 'left-race');
  const kept = ['ending-race.over', 'ending-race.updates', 'left-race.updates', `${ID}.frames`, `${ID}.updates`];
  assert.deepEqual(readdirSync(live).sort(), kept.sort());
  journals.remove(ID);
  assert.ok(readdirSync(live).includes(`${ID}.updates`), 'its recording is still among the live ones');
});

test('without a usable journal there is no timeline', (t) => {
  const dataDir = temporaryFolder(t);
  const { sessions } = followSessions(dataDir);
  begun(sessions);
  const { journals, log } = journalsOf(dataDir);
  assert.equal(journals.open('other-race'), null);
  assert.deepEqual(log.lines, []);
  writeFileSync(join(dataDir, 'live', 'other-race.updates'), 'no journal');
  assert.equal(journals.open('other-race'), null);
  assert.equal(log.lines.length, 1);
});
