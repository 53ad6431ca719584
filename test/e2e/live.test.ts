// Live delivery through the whole service as a process: an operator's own source or live timing comes in, signed
// deliveries go out, and the process is killed in between.

import assert from 'node:assert/strict';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type JsonObject, objectOf } from '#engine/base/json-value.ts';
import { RecordingReader } from '#engine/intake/recording/recording-reader.ts';
import { deriveTimeline } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { PREVIEW_TOPIC } from '#engine/racing/session/known-before.ts';
import { QUALIFYING, SPRINT } from '#test/racing/golden/golden-sessions.ts';
import { recorded, sessionPath, type TestSession } from '#test/racing/real-sessions.ts';
import { until } from '#test/support/api-harness.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { joinedAfter } from '#test/support/golden-recordings.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from '#test/support/service-process.ts';
import { readSignalrRecording } from '#test/support/signalr-recording.ts';
import { SignalrServer } from '#test/support/signalr-server.ts';
import { writeSmallRelease } from '#test/support/small-release.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { type Received, startWebhookReceiver } from '#test/support/webhook-receiver.ts';

const START_MS = Date.parse('2025-06-01T12:00:00Z');

/** Sessions that are live at the same time, by the ids under which they are sent. */
const SESSIONS = [
  { id: '2025-club-sprint', session: SPRINT as TestSession },
  ...recorded('2025-miami-sprint').map((session) => ({ id: '2025-town-sprint', session })),
];

/** A part of each session, sent at a hundred frames a second, so that its replay is short. */
function parts(count: number): { readonly id: string; readonly frames: readonly Frame[] }[] {
  return SESSIONS.map(({ id, session }) => {
    const frames = session.frames.slice(0, count);
    return { id, frames: frames.map((frame, index) => ({ ...frame, utcMs: START_MS + index * 10 })) };
  });
}

/** The bodies that these frames produce, by sequence. */
function bodiesOf(sessionId: string, frames: readonly Frame[]): string[] {
  const timeline = deriveTimeline({ sessionId, seriesId: 'f1' }, frames);
  return Array.from({ length: timeline.length }, (_, position) => Buffer.from(timeline.body(position)).toString());
}

class LiveService {
  readonly #dataDir: string;
  readonly #env: Readonly<Record<string, string>>;
  service!: ServiceProcess;
  api!: ApiClient;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#dataDir = temporaryDataDir('service');
    chmodSync(this.#dataDir, 0o711);
    this.#env = { ADMIN_PORT: '0', LIVE_TO_LOCALHOST: 'on', ...env };
  }

  static async start(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<LiveService> {
    const live = new LiveService(env);
    live.service = await startService(live.#dataDir, live.#env);
    t.after(() => live.service.end('SIGTERM'));
    const create = ['account', 'create', '--email', 'a@example.org', '--plan', 'custom'];
    live.api = await ApiClient.open(live.service.address, await runAdminCommand(live.#dataDir, create));
    return live;
  }

  /** An endpoint for every feed, and what it receives. */
  async receiver(t: TestContext) {
    const receiver = await startWebhookReceiver();
    t.after(() => receiver.close());
    const { status, body } = await this.api.call('POST', '/webhooks', { webhookUrl: receiver.url, feedIds: ['*'] });
    assert.equal(status, 201, JSON.stringify(body));
    return { ...receiver, secret: body.data.webhookSecret as string, webhookId: body.data.webhookId as string };
  }

  async again(signal: NodeJS.Signals): Promise<void> {
    await this.service.end(signal);
    this.service = await startService(this.#dataDir, this.#env);
    this.api = this.api.at(this.service.address);
  }

  async feed(id: string, frames: readonly Frame[]): Promise<void> {
    const body = frames
      .map(({ topic, utcMs, json }, index) => {
        const head = JSON.stringify({ topic, utc: new Date(utcMs).toISOString(), sequence: index + 1 });
        return `${head.slice(0, -1)},"data":${json}}\n`;
      })
      .join('');
    const response = await fetch(`${this.service.operators}/v1/ingest/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    });
    assert.equal(response.status, 200, await response.text());
  }

  async lastSequence(id: string): Promise<number> {
    const response = await fetch(`${this.service.operators}/v1/ingest/${id}`);
    return ((await response.json()) as { data: { lastSequence: number } }).data.lastSequence;
  }

  async end(id: string): Promise<void> {
    const response = await fetch(`${this.service.operators}/v1/ingest/${id}/end`, { method: 'POST' });
    assert.equal(response.status, 200, await response.text());
  }

  async importSmallHistory(t: TestContext): Promise<void> {
    const folder = temporaryFolder(t);
    writeSmallRelease(folder);
    await runAdminCommand(this.#dataDir, ['import', 'history', folder]);
  }

  /** The frames of a session that is live. */
  recorded(sessionId: string): readonly Frame[] {
    const file = join(this.#dataDir, 'live', `${sessionId}.frames`);
    if (!existsSync(file)) return [];
    const reader = RecordingReader.open(file);
    try {
      return [...reader.frames()];
    } finally {
      reader.close();
    }
  }

  known(sessionId: string): readonly Frame[] {
    return this.recorded(sessionId).filter(({ topic }) => topic === PREVIEW_TOPIC);
  }

  /** Prepares the session and replays it to every endpoint. Returns the run. */
  async replay(sessionId: string): Promise<string> {
    await this.api.call('POST', '/simulate/prepare', { sessionId });
    await this.api.until(`/simulate/status?session=${sessionId}`, ({ data }) => data.status === 'ready');
    const { status, body } = await this.api.call('GET', `/simulate/stream?session=${sessionId}&speed=10&sinks=webhook`);
    assert.equal(status, 202, JSON.stringify(body));
    return body.data.runId;
  }
}

const inMode = (received: readonly Received[], mode: string): Received[] =>
  received.filter(({ headers }) => headers['x-service-mode'] === mode);
const sequencesOf = (received: readonly Received[]): number[] => received.map(({ sequence }) => sequence);
const distinct = (received: readonly Received[]): number => new Set(sequencesOf(received)).size;

/** Nothing is missing or changed: each body is the one that the frames produce. */
function assertWhole(received: readonly Received[], bodies: readonly string[]): void {
  assert.equal(distinct(received), bodies.length);
  for (const { sequence, body } of received) {
    if (body !== bodies[sequence - 1]) assert.equal(body, bodies[sequence - 1], `sequence ${sequence}`);
  }
}

test('sessions that ended while an endpoint lagged are delivered to their end by the next process (J2)', async (t) => {
  const live = await LiveService.start(t);
  const receiver = await live.receiver(t);
  receiver.answer(null);
  const all = parts(400);
  for (const { id, frames } of all) await live.feed(id, frames);
  await until(() => receiver.received.length > 0);
  for (const { id } of all) await live.end(id);
  await live.again('SIGKILL');
  const before = receiver.received.length;
  receiver.answer(200);
  for (const { id, frames } of all) {
    const bodies = bodiesOf(id, frames);
    const of = (received: readonly Received[]) => received.filter(({ body }) => body.includes(`"${id}"`));
    await until(() => distinct(of(receiver.received.slice(before))) === bodies.length);
    assertWhole(of(receiver.received), bodies);
  }
  assert.ok(receiver.received.every(({ headers }) => headers['x-service-mode'] === 'live'));
});

test('RE1: what a live session skipped goes out again while it runs, over a kill, each update once', async (t) => {
  const live = await LiveService.start(t);
  const receiver = await live.receiver(t);
  const { id, frames } = parts(400)[0]!;
  const endpoint = `/webhooks/${receiver.webhookId}`;
  await live.api.call('PATCH', endpoint, { active: false });
  await live.feed(id, frames.slice(0, 300));
  const bodies = bodiesOf(id, frames);
  const missed = bodiesOf(id, frames.slice(0, 300)).length;
  const resend = { sessionId: id, outcome: 'skipped' };
  await live.api.call('PATCH', endpoint, { active: true });
  await live.feed(id, frames.slice(0, 350));
  const published = bodiesOf(id, frames.slice(0, 350)).length;
  await until(() => distinct(receiver.received) === published - missed);
  // Nothing is taken, so that the kill comes in its middle.
  receiver.answer(503);
  let runId = '';
  await until(async () => {
    // What was skipped is recorded with the next group commit.
    const { status, body } = await live.api.call('POST', `${endpoint}/resend`, resend);
    if (status !== 202 || body.data.updates < missed) return false;
    runId = body.data.runId;
    return true;
  });
  const isAgain = ({ headers }: Received): boolean => headers['x-service-resend'] === runId;
  await until(() => receiver.received.some(isAgain));
  await live.again('SIGKILL');
  receiver.answer(200);
  await live.api.until(`/simulate/runs/${runId}`, ({ data }) => data.state === 'completed');
  const [part] = (await live.api.call('GET', `/simulate/runs/${runId}`)).body.data.endpoints;
  assert.deepEqual([part.matched, part.delivered], [missed, missed]);
  await live.feed(id, frames);
  await until(() => distinct(receiver.received) === bodies.length);
  assertWhole(receiver.received, bodies);
  assert.ok(receiver.received.every(({ headers }) => headers['x-service-mode'] === 'live'));
  assert.deepEqual(
    new Set(sequencesOf(receiver.received.filter(isAgain))),
    new Set(Array.from({ length: missed }, (_, index) => index + 1)),
  );
});

test('PU1: after a kill each live update was due once, and the answer tells for how long the service was down', async (t) => {
  const live = await LiveService.start(t);
  const receiver = await live.receiver(t);
  const { id, frames } = parts(300)[0]!;
  await live.feed(id, frames.slice(0, 100));
  await until(() => distinct(receiver.received) === bodiesOf(id, frames.slice(0, 100)).length);
  await live.again('SIGKILL');
  await live.feed(id, frames);
  const { length } = bodiesOf(id, frames);
  await until(() => distinct(receiver.received) === length);
  await live.api.until('/usage/sla', ({ data }) => data.due === length && data.downtimeMinutes > 0);
  const { onTime, late, excluded, sessions } = (await live.api.call('GET', '/usage/sla')).body.data;
  assert.equal(onTime + late + excluded.receiver_busy, length);
  assert.equal(sessions, 1);
});

test('without LIVE_TO_LOCALHOST a URL of this machine gets nothing live, and no delivery reaches the port of operators', async (t) => {
  const live = await LiveService.start(t, { LIVE_TO_LOCALHOST: 'off' });
  const receiver = await live.receiver(t);
  const all = parts(150);
  const { port } = new URL(live.service.operators);
  for (const { id, frames } of all) {
    await live.feed(id, frames);
    const attack = { webhookUrl: `http://localhost:${port}/v1/ingest/${id}/end`, feedIds: ['*'] };
    assert.equal((await live.api.call('POST', '/webhooks', attack)).status, 201);
  }
  const runId = await live.replay('demo-race');
  await until(() => inMode(receiver.received, 'replay').length > 20);
  await live.api.call('DELETE', `/simulate/stream?runId=${runId}`);
  for (const { id, frames } of all)
    assert.equal(await live.lastSequence(id), frames.length, 'the session is still live');
  assert.equal(inMode(receiver.received, 'live').length, 0);
});

const RECORDINGS = [
  { sessionId: QUALIFYING.sessionId, recording: () => joinedAfter(60, QUALIFYING) },
  ...recorded('2026-austria-qualifying').map(({ sessionId }) => {
    return { sessionId, recording: () => readSignalrRecording(sessionPath(sessionId)) };
  }),
];

for (const { sessionId: followed, recording } of RECORDINGS) {
  test(`live timing by SignalR: followed over a lost connection and a restart, and over when another session comes: ${followed}`, async (t) => {
    const { initial, frames } = recording();
    const server = await SignalrServer.start(t, { initial });
    const live = await LiveService.start(t, { LIVE_TIMING_URL: server.url });
    const receiver = await live.receiver(t);
    await until(() => server.clients === 1);
    await server.play(frames.slice(0, 300), { together: 20 });
    await until(() => receiver.received.length > 100);
    server.destroySockets();
    await server.play(frames.slice(300, 400));
    await until(() => server.clients === 1);
    await server.play(frames.slice(400, 500), { together: 20 });
    await live.again('SIGTERM');
    await until(() => server.clients === 1);
    await server.play(frames.slice(500, 600), { together: 20 });
    const next = {
      utcMs: frames[600]!.utcMs,
      topic: 'SessionInfo',
      json: JSON.stringify(anotherSession(initial.SessionInfo)),
    };
    server.publish(next);
    const listed = ({ data }: { data: { sessions: { sessionId: string }[] } }): boolean =>
      data.sessions.some(({ sessionId }) => sessionId === followed);
    await live.api.until('/simulate/sessions', listed);
    const { data } = (await live.api.call('GET', '/simulate/sessions?limit=50')).body;
    const entry = data.sessions.find(({ sessionId }: { sessionId: string }) => sessionId === followed);
    const sent = (): Received[] =>
      inMode(receiver.received, 'live').filter(({ body }) => body.includes(`"${followed}"`));
    // The session began before the endpoint existed, which gets the updates since.
    const first = Math.min(...sequencesOf(sent()));
    await until(() => distinct(sent()) === entry.updateCount + 1 - first);
    assert.equal(sent().length, distinct(sent()), 'nothing is delivered twice');
    assert.equal(Math.max(...sequencesOf(sent())), entry.updateCount);
  });
}

test('I7: a live race is recorded with what the history knew before it, once, also over a kill', async (t) => {
  const { initial, frames } = joinedAfter(60, SPRINT);
  const info = initial.SessionInfo as JsonObject;
  const miami = { ...info, Meeting: { ...objectOf(info.Meeting), Name: 'Miami Grand Prix', Location: 'Miami' } };
  const server = await SignalrServer.start(t, { initial: { ...initial, SessionInfo: miami } });
  const live = await LiveService.start(t, { LIVE_TIMING_URL: server.url });
  await live.importSmallHistory(t);
  await live.again('SIGKILL');
  await until(() => server.clients === 1);
  await server.play(frames.slice(0, 100), { together: 20 });
  // Frames that the kill loses would be missed below.
  await until(() => live.recorded('2026-miami-sprint').length > 100);
  await until(() => live.known('2026-miami-sprint').length > 0);
  await live.again('SIGKILL');
  await until(() => server.clients === 1);
  // Forecasts are answered in turn. What was known was asked for before the service was ready.
  assert.equal((await live.api.call('GET', '/preview/2026-miami-sprint')).status, 200);
  await server.play(frames.slice(100, 200), { together: 20 });
  await until(() => live.recorded('2026-miami-sprint').length > 150);
  const [known, ...others] = live.known('2026-miami-sprint');
  assert.equal(JSON.parse(known!.json).LearntTo, '2023-miami');
  assert.deepEqual(others, []);
});

function anotherSession(info: unknown): unknown {
  return { ...(info as object), Type: 'Race', Name: 'Race', Key: 1 };
}
