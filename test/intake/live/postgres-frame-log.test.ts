import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { after, beforeEach, type TestContext, test } from 'node:test';
import { systemClock } from '#engine/base/clock.ts';
import { FramesRefused } from '#engine/intake/live/frame-log.ts';
import { copiesFolder, journalFile } from '#engine/intake/live/live-journals.ts';
import { giveJournals, takeLiveSessions } from '#engine/intake/live/live-moves.ts';
import type { LiveSession } from '#engine/intake/live/live-session.ts';
import { PostgresFrameLog, type PostgresFrameLogParts } from '#engine/intake/live/postgres-frame-log.ts';
import { countDowntime, leftLiveSessions, purgeLiveSessions } from '#engine/intake/live/postgres-frame-rows.ts';
import { PostgresRecordings } from '#engine/intake/recording/postgres-recordings.ts';
import type { Frame } from '#engine/racing/frame.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import {
  begun,
  bodiesOf,
  expectedBodies,
  type FrameLogHarness,
  frameLogConformance,
  headOf,
  newLiveSession,
  offerAll,
} from '#test/conformance/frame-log.ts';
import { raceUnderWay, START_MS } from '#test/racing/scripted-session.ts';
import { temporaryDataDir, withDatabase } from '#test/support/database.ts';
import { followSessions, fullOnce, RecordedLog } from '#test/support/live-sessions.ts';

const { sql, database } = await withDatabase({ after });
const FRAMES: readonly Frame[] = [...raceUnderWay()];
const HALF = FRAMES.length >> 1;

beforeEach(async () => {
  await sql`truncate live_session cascade`;
});

interface Node extends FrameLogHarness {
  readonly log: PostgresFrameLog;
  readonly nodeNo: number;
  readonly dataDir: string;
  readonly lines: RecordedLog;
  readonly differing: string[];
  close(): Promise<void>;
  restart(): Promise<Node>;
}

/** A member of the cluster, whose lease holds. */
async function member(): Promise<number> {
  const [row] = await sql<{ nodeNo: number }[]>`
    insert into cluster_node (node_id, address, version, deriver_version, schema_version, lease_until)
    values (gen_random_uuid(), gen_random_uuid()::text, '', 1, 1, now() + interval '1 hour') returning node_no as "nodeNo"`;
  return row!.nodeNo;
}

interface Given extends Partial<Pick<PostgresFrameLogParts, 'keepsHouse' | 'recordings'>> {
  readonly dataDir?: string;
  readonly nodeNo?: number;
  /** What its statements go through. */
  readonly through?: (sql: Sql) => Sql;
}

async function open(t: TestContext, given: Given = {}): Promise<Node> {
  const { dataDir = temporaryDataDir(), nodeNo = await member(), through = (sql) => sql, ...parts } = given;
  const { sessions, events } = followSessions(copiesFolder(dataDir), { clock: systemClock });
  const lines = new RecordedLog();
  const recordings = new PostgresRecordings({ sql, dataDir, clock: systemClock, log: lines });
  const differing: string[] = [];
  const ownSql = database.connect(2);
  const log = new PostgresFrameLog({
    sql: through(ownSql),
    nodeNo,
    sessions,
    recordings,
    dataDir,
    keepsHouse: () => true,
    clock: systemClock,
    log: lines,
    failed: (error) => assert.fail(error),
    differs: (sessionId) => differing.push(sessionId),
    ...parts,
  });
  await log.start();
  let isOpen = true;
  const close = async (): Promise<void> => {
    isOpen = false;
    await log.close();
    await sessions.close();
    await ownSql.end();
  };
  t.after(() => (isOpen ? close() : undefined));
  return {
    log,
    sessions,
    recordings,
    events,
    nodeNo,
    dataDir,
    lines,
    differing,
    close,
    async restart() {
      await close();
      return open(t, { ...given, dataDir, nodeNo });
    },
  };
}

/** Waits for what a node hears of others. */
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await what()); tries++) {
    assert.ok(tries < 500, `${what} is true in the end`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function followedBy(node: Node, sessionId: string, frames: number): Promise<LiveSession> {
  await until(() => node.sessions.get(sessionId)?.frames === frames);
  return node.sessions.get(sessionId)!;
}

frameLogConformance('the frame log of a cluster', (t) => open(t));

test('FL1: every node takes the frames, also one that starts in the middle, and one that resumes its copy', async (t) => {
  const [one, two] = [await open(t), await open(t)];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session, FRAMES.slice(0, HALF));
  await followedBy(two, sessionId, HALF);
  const resumed = await two.restart();
  assert.deepEqual(resumed.events, [`opened ${sessionId}`]);
  assert.equal(resumed.sessions.get(sessionId)!.frames, HALF);
  await offerAll(one.log, session, FRAMES.slice(HALF));
  const late = await open(t);
  for (const node of [resumed, late])
    assert.deepEqual(bodiesOf(await followedBy(node, sessionId, FRAMES.length)), expectedBodies(sessionId));
});

test('FL2: one node feeds a session until it releases it or its lease has run out; what it offers after that is refused', async (t) => {
  const [one, two] = [await open(t), await open(t)];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session, FRAMES.slice(0, HALF));
  assert.equal(await two.log.claim(sessionId), 'busy');
  assert.equal(await two.log.end(two.sessions.get(sessionId)!), 'busy');
  await sql`update cluster_node set lease_until = now() - interval '1 s' where node_no = ${one.nodeNo}`;
  assert.equal(await two.log.claim(sessionId), 'claimed');
  one.log.offer(session, FRAMES[HALF]!, 0);
  await assert.rejects(one.log.settled(session), FramesRefused);
  assert.equal(one.log.offered(session), HALF);
  const other = two.sessions.get(sessionId)!;
  await offerAll(two.log, other, FRAMES.slice(HALF));
  await followedBy(one, sessionId, FRAMES.length);
  assert.deepEqual(bodiesOf(session), expectedBodies(sessionId));
  two.log.release(sessionId);
  await sql`update cluster_node set lease_until = now() + interval '1 hour' where node_no = ${one.nodeNo}`;
  one.log.release(sessionId);
  let claim = await one.log.claim(sessionId);
  while (claim === 'busy') claim = await one.log.claim(sessionId);
  assert.equal(claim, 'claimed');
});

test('FL2: a claim after which the log cannot be read is given back, so that another node can feed the session', async (t) => {
  const [one, two] = [await open(t), await open(t)];
  const sessionId = newLiveSession();
  await offerAll(one.log, await begun(one, sessionId), FRAMES.slice(0, HALF));
  one.log.release(sessionId);
  await until(async () => (await two.log.claim(sessionId)) === 'claimed');
  two.log.release(sessionId);
  const begins = newLiveSession();
  // The statement that claims works, the one that reads the log does not.
  await sql`alter table live_session rename column recorded_at to away`;
  await assert.rejects(one.log.claim(sessionId));
  await assert.rejects(async () => one.log.begin(headOf(begins), START_MS));
  await sql`alter table live_session rename column away to recorded_at`;
  for (const id of [sessionId, begins]) await until(async () => (await two.log.claim(id)) === 'claimed');
});

test('FL1: a copy that a power cut has left behind its journal is made anew', async (t) => {
  const [one, two] = [await open(t), await open(t)];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session, FRAMES.slice(0, HALF));
  const { file } = await followedBy(two, sessionId, HALF);
  const written = statSync(file).size;
  await offerAll(one.log, session, FRAMES.slice(HALF));
  await followedBy(two, sessionId, FRAMES.length);
  await two.close();
  truncateSync(file, written);
  const resumed = await open(t, { dataDir: two.dataDir });
  assert.deepEqual(bodiesOf(await followedBy(resumed, sessionId, FRAMES.length)), expectedBodies(sessionId));
  assert.deepEqual(resumed.differing, []);
});

/** Statements with this text are carried out, but their answers are lost while `loses` says so. */
function losingAnswers(text: string, loses: () => boolean) {
  const lost = () => Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' });
  return (sql: Sql): Sql =>
    new Proxy(sql, {
      apply(target, self, given) {
        const query = Reflect.apply(target as unknown as () => Promise<unknown>, self, given);
        if (!loses() || !String(given[0]).includes(text)) return query;
        return query.then(() => Promise.reject(lost()));
      },
    });
}

test('FL2: a claim whose answer is lost is given back, so that another node can feed the session', async (t) => {
  let loses = false;
  const one = await open(t, { through: losingAnswers('claim = claim + 1', () => loses) });
  const two = await open(t);
  const sessionId = newLiveSession();
  await offerAll(one.log, await begun(one, sessionId), FRAMES.slice(0, HALF));
  one.log.release(sessionId);
  await until(async () => (await two.log.claim(sessionId)) === 'claimed');
  await followedBy(one, sessionId, HALF);
  two.log.release(sessionId);
  await until(async () => {
    const [row] = await sql`select feeder_no from live_session where session_id = ${sessionId}`;
    return row!.feeder_no === null;
  });
  loses = true;
  await assert.rejects(one.log.claim(sessionId), /CONNECTION_CLOSED/);
  loses = false;
  await until(async () => (await two.log.claim(sessionId)) === 'claimed');
});

test('FL2: a session whose beginning lost its answer can be fed by another node', async (t) => {
  let loses = true;
  const one = await open(t, { through: losingAnswers('insert into live_session', () => loses) });
  const two = await open(t);
  const sessionId = newLiveSession();
  await assert.rejects(async () => one.log.begin(headOf(sessionId), START_MS), /CONNECTION_CLOSED/);
  loses = false;
  await until(async () => (await two.log.claim(sessionId)) === 'claimed');
});

test('FL2: a claim that comes right after one whose answer was lost is kept', async (t) => {
  let loses = false;
  const one = await open(t, { through: losingAnswers('claim = claim + 1', () => loses) });
  const two = await open(t);
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  one.log.release(sessionId);
  loses = true;
  const lost = one.log.claim(sessionId);
  lost.catch(() => {
    loses = false;
  });
  const [, second] = await Promise.allSettled([lost, lost.catch(() => one.log.claim(sessionId))]);
  assert.equal(second!.status === 'fulfilled' && second!.value, 'claimed');
  await offerAll(one.log, session, FRAMES.slice(0, HALF));
  assert.equal(await two.log.claim(sessionId), 'busy');
  await offerAll(one.log, session, FRAMES.slice(HALF));
});

test('FL2: what a live thread that has died had claimed is free once the next one has started', async (t) => {
  const [one, two] = [await open(t), await open(t)];
  const sessionId = newLiveSession();
  await offerAll(one.log, await begun(one, sessionId), FRAMES.slice(0, HALF));
  await followedBy(two, sessionId, HALF);
  const restarted = await one.restart();
  assert.equal(await two.log.claim(sessionId), 'claimed');
  await offerAll(two.log, two.sessions.get(sessionId)!, FRAMES.slice(HALF));
  await followedBy(restarted, sessionId, FRAMES.length);
});

test('FL3: a node that has published something else leaves the session and says so; its next start derives it anew', async (t) => {
  const [one, two] = [await open(t), await open(t)];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session, FRAMES.slice(0, HALF));
  const copy = await followedBy(two, sessionId, HALF);
  const { bodies, bodyStart } = copy.memory.columns;
  new Uint8Array(bodies)[new Uint32Array(bodyStart)[copy.updates]! - 2]!++;
  await offerAll(one.log, session, FRAMES.slice(HALF));
  await until(() => two.differing.length > 0);
  assert.deepEqual(two.differing, [sessionId]);
  assert.match(two.lines.errors.join('\n'), /made other updates of a live session/);
  assert.equal(two.sessions.get(sessionId), null);
  await until(async () => (await leftLiveSessions(sql)).some((left) => left.sessionId === sessionId));
  const anew = await two.restart();
  assert.deepEqual(bodiesOf(await followedBy(anew, sessionId, FRAMES.length)), expectedBodies(sessionId));
});

/** A session of which `two` has made other updates than `one`, and does not know it yet. */
async function differing(t: TestContext) {
  const [one, two] = [await open(t), await open(t, { keepsHouse: () => false })];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session, FRAMES.slice(0, HALF));
  const copy = await followedBy(two, sessionId, HALF);
  const { bodies, bodyStart } = copy.memory.columns;
  new Uint8Array(bodies)[new Uint32Array(bodyStart)[copy.updates]! - 2]!++;
  await offerAll(one.log, session, FRAMES.slice(HALF));
  return { one, two, sessionId, session, copy };
}

test('FL3: a node that ends a session of which it has made other updates says so at once, and the others publish it', async (t) => {
  const { one, two, sessionId, copy } = await differing(t);
  one.log.release(sessionId);
  let end = await two.log.end(copy);
  while (end === 'busy') end = await two.log.end(copy);
  assert.equal(end, 'left');
  await until(() => one.events.includes(`ended ${sessionId}`));
  assert.equal(await two.log.end(copy), 'left', 'also when it has known for long');
});

test('FL3: a node that has left a session knows it as left until it can be replayed', async (t) => {
  const { one, two, sessionId, session } = await differing(t);
  assert.deepEqual([await one.log.look(sessionId), await two.log.look(sessionId)], ['known', 'left']);
  assert.equal(await one.log.end(session), 'ended');
  assert.equal(await two.log.look(sessionId), 'known');
  assert.equal(await two.log.claim(sessionId), 'unknown');
  assert.equal(await two.log.begin(headOf(sessionId), START_MS), 'over');
});

test('FL3: a node that has left a session does not wait for another one to feed it', async (t) => {
  const { two, sessionId } = await differing(t);
  assert.equal(await two.log.claim(sessionId), 'left');
  assert.equal(await two.log.begin(headOf(sessionId), START_MS), 'left');
});

test('V5: the time in which no node followed a live session is a gap of it, counted once, by the node that is there first', async (t) => {
  await sql`truncate live_gap`;
  await sql`delete from cluster_node`;
  const [one, two] = [await open(t), await open(t)];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await sql`update live_session set fed_at = now() - interval '1 day'`;
  await offerAll(one.log, session, FRAMES.slice(0, HALF));
  assert.equal((await sql`select from live_session where fed_at > now() - interval '1 hour'`).length, 1);
  assert.deepEqual(await countDowntime(sql, two.nodeNo, 60_000), [], 'the first one follows it');
  await sql`update live_session set fed_at = now() - interval '40 s'`;
  await sql`update cluster_node set lease_until = now() - interval '1 s'`;
  const [first, second] = [await member(), await member()];
  assert.deepEqual(await countDowntime(sql, second, 60_000), []);
  assert.deepEqual(await countDowntime(sql, first, 60_000), [sessionId]);
  assert.deepEqual(await countDowntime(sql, first, 50_000), [sessionId]);
  const gaps = () => sql<{ cause: string; seconds: number }[]>`
    select cause, round(extract(epoch from ended_at - began_at))::int as seconds from live_gap`;
  assert.deepEqual([...(await gaps())], [{ cause: 'service', seconds: 40 }]);
  await sql`update live_session set fed_at = now() - interval '7 hours'`;
  await countDowntime(sql, first, 60_000);
  assert.equal((await gaps()).at(-1)!.seconds, 60, 'one of which nothing is heard for so long is over');
});

test('FL4: a session that is over is published once, by the node that keeps house, though the one before died in between', async (t) => {
  let isKeeper = true;
  let published = 0;
  const keepsHouse = (): boolean => isKeeper;
  const dead = {
    publish() {
      published++;
      return Promise.reject(new Error('away'));
    },
  };
  const [one, two] = [await open(t, { keepsHouse, recordings: dead }), await open(t, { keepsHouse: () => !isKeeper })];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session);
  const ending = one.log.end(session);
  await until(() => published > 0);
  isKeeper = false;
  await ending;
  await until(() => two.events.includes(`ended ${sessionId}`));
  assert.deepEqual(one.events, [`opened ${sessionId}`, `ended ${sessionId}`]);
  const recorded = await sql`select from recording where session_id = ${sessionId}`;
  assert.equal(recorded.length, 1);
  await purgeLiveSessions(sql, 0);
  assert.equal(
    (await sql`select from live_session where session_id = ${sessionId}`).length,
    0,
    'nobody needs the frames',
  );
});

test('with the database away, the end of a session is tried again until it succeeds, however often it is asked for', async (t) => {
  const one = await open(t);
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session);
  // What is written about a session fails, what is read does not.
  await sql`alter table live_session rename column claim to away`;
  const ends = Promise.allSettled([one.log.end(session), one.log.end(session)]);
  await until(() => one.lines.lines.some((line) => line.includes('could not end a live session'))).catch(() => {});
  await sql`alter table live_session rename column away to claim`;
  assert.deepEqual(await ends, [
    { status: 'fulfilled', value: 'ended' },
    { status: 'fulfilled', value: 'ended' },
  ]);
  assert.equal(one.lines.lines.filter((line) => line.includes('could not end a live session')).length, 1);
  assert.deepEqual(one.events, [`opened ${sessionId}`, `ended ${sessionId}`]);
});

test('on a full disk, every node ends a session once its last updates are kept', async (t) => {
  const [one, two] = [await open(t), await open(t, { keepsHouse: () => false })];
  const sessionId = newLiveSession();
  const session = await begun(one, sessionId);
  await offerAll(one.log, session);
  for (const full of [session, await followedBy(two, sessionId, FRAMES.length)]) fullOnce(t, full);
  const ended = one.log.end(session);
  for (const { events } of [one, two]) await until(() => events.includes(`ended ${sessionId}`));
  assert.equal(await ended, 'ended');
});

test('FL4: when the answer that a session is recorded is lost, later sessions are published as well', async (t) => {
  let lost = false;
  const recordings: PostgresFrameLogParts['recordings'] = {
    async publish(entry, recording) {
      await one.recordings.publish(entry, recording);
      if (lost) return;
      lost = true;
      await sql`update live_session set recorded_at = now() where session_id = ${entry.sessionId}`;
      await one.log.look(entry.sessionId);
      throw new Error('the connection was lost');
    },
  };
  const one: Node = await open(t, { recordings });
  const [first, second] = [newLiveSession(), newLiveSession()];
  for (const sessionId of [first, second]) {
    const session = await begun(one, sessionId);
    await offerAll(one.log, session);
    void one.log.end(session);
    await until(() => one.events.includes(`ended ${sessionId}`));
  }
});

test('the journal of a session that is over stays for the deliveries that are left, into a cluster and out of it', async () => {
  const dataDir = temporaryDataDir();
  const [alone, inCluster] = [dataDir, copiesFolder(dataDir)].map((folder) => journalFile(folder, '2026-over-race'));
  mkdirSync(dirname(alone!), { recursive: true });
  writeFileSync(alone!, 'what was published');
  giveJournals({ dataDir });
  assert.deepEqual([existsSync(alone!), readFileSync(inCluster!, 'utf8')], [false, 'what was published']);
  await takeLiveSessions({ sql, dataDir, log: { info() {}, warn() {}, error() {} } });
  assert.deepEqual([existsSync(inCluster!), readFileSync(alone!, 'utf8')], [false, 'what was published']);
});

test('a service that is alone now goes on with a live session that a cluster has left', async (t) => {
  const one = await open(t);
  const sessionId = newLiveSession();
  await offerAll(one.log, await begun(one, sessionId), FRAMES.slice(0, HALF));
  await begun(one, newLiveSession());
  await one.close();
  await takeLiveSessions({ sql, dataDir: one.dataDir, log: one.lines });
  assert.equal((await sql`select from live_session`).length, 0);
  const { sessions } = followSessions(one.dataDir);
  sessions.recover();
  const session = sessions.get(sessionId)!;
  assert.equal(session.frames, HALF);
  for (const frame of FRAMES.slice(HALF)) session.take(frame, 0);
  assert.deepEqual(bodiesOf(session), expectedBodies(sessionId));
});
