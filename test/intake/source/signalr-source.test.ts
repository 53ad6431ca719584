import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, type TimerClock } from '#engine/base/clock.ts';
import type { Json, JsonObject } from '#engine/base/json-value.ts';
import {
  FRAME_BYTES_MAX,
  LIVE_RETRY_MS_MAX,
  LIVE_TEXT_BYTES_MAX,
  LIVE_UNUSABLE_MESSAGES_MAX,
} from '#engine/base/limits.ts';
import { seededRandom } from '#engine/base/random.ts';
import type { LiveListener, LiveMessage } from '#engine/intake/source/live-source.ts';
import { SignalrSource, type SignalrSourceParts } from '#engine/intake/source/signalr-source.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { merge } from '#engine/racing/session/merge.ts';
import { RACE } from '#test/racing/golden/golden-sessions.ts';
import { recorded, sessionPath } from '#test/racing/real-sessions.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { joinedAfter } from '#test/support/golden-recordings.ts';
import { readSignalrRecording, type SignalrRecording } from '#test/support/signalr-recording.ts';
import { feedRecord, SignalrServer, type SignalrServerOptions } from '#test/support/signalr-server.ts';
import { SimulatedTime } from '#test/support/simulated-time.ts';

const BEGAN_MS = Date.UTC(2026, 5, 27, 14);
const TOPICS = ['Heartbeat', 'TimingData', 'TrackStatus', 'CarData.z'];
const INITIAL: JsonObject = {
  Heartbeat: { Utc: '2026-06-27T14:00:00.000Z' },
  TimingData: { Lines: { 1: { Line: 1, Sectors: [{ Value: '' }, { Value: '' }] }, 44: { Line: 2, InPit: true } } },
  TrackStatus: { Status: '1', Message: 'AllClear' },
};

type Received =
  | { readonly kind: 'snapshot' | 'message'; readonly messages: readonly LiveMessage[]; readonly receivedMs: number }
  | { readonly kind: 'lost'; readonly reason: string };

/** Follows a source as the service does: merges snapshots and messages into a state. */
class Follower implements LiveListener {
  readonly received: Received[] = [];
  readonly #state = new Map<string, Json>();
  #isConnected = false;

  snapshot(topics: readonly LiveMessage[], receivedMs: number): void {
    this.received.push({ kind: 'snapshot', messages: topics, receivedMs });
    this.#isConnected = true;
    for (const message of topics) {
      const data = this.#apply(message);
      if (!message.topic.endsWith('.z')) assert.equal((data as JsonObject)._kf, true, message.topic);
    }
  }

  message(message: LiveMessage, receivedMs: number): void {
    assert.ok(this.#isConnected, 'a message comes after a snapshot');
    this.received.push({ kind: 'message', messages: [message], receivedMs });
    this.#apply(message);
  }

  lost(reason: string): void {
    assert.ok(this.#isConnected, 'a loss is reported once');
    this.#isConnected = false;
    this.received.push({ kind: 'lost', reason });
  }

  get state(): Record<string, Json> {
    return Object.fromEntries(this.#state);
  }

  get snapshots(): number {
    return this.received.filter(({ kind }) => kind === 'snapshot').length;
  }

  get messages(): readonly LiveMessage[] {
    return this.received.flatMap((entry) => (entry.kind === 'message' ? entry.messages : []));
  }

  get losses(): readonly string[] {
    return this.received.flatMap((entry) => (entry.kind === 'lost' ? [entry.reason] : []));
  }

  /** Messages without a gap between them. */
  get stretches(): readonly LiveMessage[][] {
    const stretches: LiveMessage[][] = [];
    for (const entry of this.received) {
      if (entry.kind === 'snapshot') stretches.push([]);
      if (entry.kind === 'message') stretches.at(-1)!.push(...entry.messages);
    }
    return stretches;
  }

  #apply({ topic, json }: LiveMessage): Json {
    const data = JSON.parse(json) as Json;
    this.#state.set(topic, merge(this.#state.get(topic), data).state);
    return data;
  }
}

interface Logged {
  readonly level: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
}

class Setup {
  readonly follower = new Follower();
  readonly logged: Logged[] = [];
  readonly source: SignalrSource;

  constructor(scope: TestContext, url: string, parts: Partial<SignalrSourceParts> = {}) {
    const note = (level: string) => (details: object, message: string) => {
      this.logged.push({ level, details: details as Logged['details'], message });
    };
    this.source = new SignalrSource({
      url,
      accessToken: null,
      topics: TOPICS,
      clock: systemClock,
      random: seededRandom(1),
      log: { info: note('info'), warn: note('warn'), error: note('error') },
      ...parts,
      limits: { retryMs: 20, retryMsMax: 100, closeMs: 200, ...parts.limits },
    });
    scope.after(() => this.source.close());
    this.source.start(this.follower);
  }

  /** The logged delays before each retry. */
  get retries(): readonly number[] {
    return this.logged.flatMap(({ details }) => (typeof details.retryMs === 'number' ? [details.retryMs] : []));
  }

  get reasons(): readonly string[] {
    return this.logged.flatMap(({ details }) => (typeof details.retryMs === 'number' ? [String(details.reason)] : []));
  }
}

async function begin(
  scope: TestContext,
  options: SignalrServerOptions = { initial: INITIAL },
  parts: Partial<SignalrSourceParts> = {},
): Promise<Setup & { server: SignalrServer }> {
  const server = await SignalrServer.start(scope, options);
  return Object.assign(new Setup(scope, server.url, parts), { server });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(2);
}

function frame(topic: string, data: Json, afterMs = 0): Frame {
  return { utcMs: BEGAN_MS + afterMs, topic, json: JSON.stringify(data) };
}

/** Frames that write the same fields again and again, and remove and append others. */
function changes(count: number): Frame[] {
  return Array.from({ length: count }, (_, i) => {
    const sectors = i % 5 === 4 ? { _deleted: ['Sectors'] } : { Sectors: { [i % 3]: { Value: `${i}` } } };
    return frame('TimingData', { Lines: { 1: { Line: i, ...sectors }, [i]: { Line: i } } }, i);
  });
}

function asMessages(frames: readonly Frame[]): LiveMessage[] {
  return frames.map(({ topic, json, utcMs }) => ({ topic, json, utcMs }));
}

/** Sends a last message and waits until it, or a snapshot that holds it, has arrived. */
async function settle({ server, follower }: { server: SignalrServer; follower: Follower }): Promise<void> {
  const last = `2026-06-28T00:00:0${follower.snapshots % 10}.000Z`;
  server.publish(frame('Heartbeat', { Utc: last, _kf: true }));
  await until(() => (follower.state.Heartbeat as JsonObject | undefined)?.Utc === last);
}

function assertSameState(actual: Record<string, Json>, expected: Record<string, Json>): void {
  assert.deepEqual(Object.keys(actual).sort(), Object.keys(expected).sort());
  for (const topic of Object.keys(expected)) assert.deepEqual(actual[topic], expected[topic], topic);
}

interface Recorded extends SignalrRecording {
  readonly name: string;
  /** The pace at which a thousand messages take seconds. */
  readonly speed: number;
}

/** The golden race from the lights on, where messages are dense. */
const RECORDINGS: readonly Recorded[] = [
  { name: RACE.sessionId, speed: 400, ...joinedAfter(RACE.frames.findIndex(isStart), RACE) },
  ...recorded('2026-austria-qualifying').map(({ sessionId: name }) => {
    return { name, speed: 50, ...readSignalrRecording(sessionPath(name)) };
  }),
];

function isStart({ topic, json }: Frame): boolean {
  return topic === 'SessionStatus' && json.includes('Started');
}

function topicsOf({ initial, frames }: SignalrRecording): string[] {
  return [...new Set([...Object.keys(initial), ...frames.map(({ topic }) => topic)])];
}

/** The state after the frames, merged without any connection. */
function stateAfter({ initial, frames }: SignalrRecording): Record<string, Json> {
  const state = new Map<string, Json>();
  for (const [topic, data] of Object.entries(structuredClone(initial))) state.set(topic, merge(undefined, data!).state);
  for (const { topic, json } of frames) state.set(topic, merge(state.get(topic), JSON.parse(json) as Json).state);
  return Object.fromEntries(state);
}

for (const recording of RECORDINGS) {
  const { initial, frames } = recording;

  test(`a complete session arrives as one snapshot and all messages, in order and unchanged: ${recording.name}`, async (t) => {
    const setup = await begin(t, { initial }, { topics: topicsOf(recording) });
    const { server, follower } = setup;
    await until(() => follower.snapshots === 1);
    await server.play(frames, { together: 3 });
    await until(() => follower.messages.length >= frames.length);

    assert.deepEqual(follower.messages, asMessages(frames));
    assertSameState(follower.state, stateAfter({ initial, frames }));
    assert.deepEqual(follower.losses, []);
    const times = follower.received.map((entry) => (entry.kind === 'lost' ? Number.NaN : entry.receivedMs));
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(times.at(-1)! <= systemClock.nowMs());
  });

  test(`after any connection fault the state is the same as without it, at many times the pace: ${recording.name}`, async (t) => {
    const topics = topicsOf(recording);
    const some = frames.slice(0, 1_100);
    const setup = await begin(t, { initial }, { topics, limits: { healthyMs: 0, resumeMsMax: 10 } });
    const { server, follower } = setup;
    await until(() => follower.snapshots === 1);
    const late = (afterMessages: number, state: 'before' | 'after' | 'ahead') => () => {
      server.lateAnswer = { afterMessages, state };
      server.destroySockets();
    };
    const faults: (() => unknown)[] = [
      () => server.closeSockets(),
      () => server.repeatLast(20),
      () => server.sayGoodbye(),
      () => server.destroySockets(),
      () => server.cutFrame(),
      () => server.cutRecord(),
      () => server.sendText('nonsense\x1e{"type":1,"target":"feed","arguments":["TimingData"]}\x1e{"type":99}\x1e'),
      late(10, 'before'),
      late(10, 'after'),
      late(10, 'ahead'),
      () => setup.source.refresh(),
      () => {
        server.status = 503;
        server.destroySockets();
      },
      () => {
        server.status = 200;
      },
    ];
    const onceConnected = (fault: () => unknown) => async (): Promise<void> => {
      await until(() => server.clients > 0 || server.status !== 200);
      fault();
    };
    const plan = new Map(faults.map((fault, i) => [60 + i * 80, onceConnected(fault)]));
    await server.play(some, { speed: recording.speed, plan });
    await settle(setup);

    assertSameState(follower.state, server.state());
    const clean = stateAfter({ initial, frames: some });
    for (const topic of topics.filter((name) => name !== 'Heartbeat')) {
      assert.deepEqual(follower.state[topic], clean[topic], topic);
    }
    assert.ok(follower.losses.length >= 5, `${follower.losses.length} losses`);
  });

  test(`outside of gaps no message is lost or reordered: ${recording.name}`, async (t) => {
    const setup = await begin(t, { initial }, { topics: topicsOf(recording) });
    const { server, follower } = setup;
    const faults = [() => server.closeSockets(), () => server.destroySockets(), () => server.cutFrame()];
    const every = Math.min(400, Math.floor((frames.length - 60) / 12));
    const plan = new Map<number, () => unknown>();
    for (let i = 1; i <= 12; i++) {
      plan.set(i * every, () => faults[i % 3]!());
      plan.set(i * every + 50, () => until(() => follower.snapshots === i + 1));
    }
    await until(() => follower.snapshots === 1);
    await server.play(frames, { plan });
    await settle(setup);

    const stretches = follower.stretches;
    assert.equal(stretches.length, 13);
    assert.equal(follower.losses.length, 12);
    const expected = asMessages(frames).map((message) => JSON.stringify(message));
    let from = 0;
    stretches.at(-1)!.pop();
    for (const stretch of stretches) {
      const texts = stretch.map((message) => JSON.stringify(message));
      const at = expected.findIndex((_, i) => i >= from && texts.every((text, k) => text === expected[i + k]));
      assert.ok(at >= from, 'each stretch is a part of the session');
      from = at + texts.length;
    }
    assert.equal(from, frames.length);
    assertSameState(follower.state, server.state());
  });

  test(`at the original pace messages arrive at their times: ${recording.name}`, async (t) => {
    const some = frames.filter(({ utcMs }) => utcMs < frames[0]!.utcMs + 2_500);
    assert.ok(some.length > 1);
    const { server, follower } = await begin(t, { initial }, { topics: topicsOf(recording) });
    await until(() => follower.snapshots === 1);
    const beganMs = systemClock.nowMs();
    await server.play(some, { speed: 1 });
    await until(() => follower.messages.length === some.length);

    const received = follower.received.flatMap((entry) => (entry.kind === 'message' ? [entry.receivedMs] : []));
    for (const [i, { utcMs }] of some.entries()) {
      assert.ok(received[i]! - beganMs > utcMs - some[0]!.utcMs - 2, `message ${i} is not early`);
    }
  });
}

for (const [state, taken] of [
  ['before', 'before them'],
  ['after', 'after them'],
  ['ahead', 'after messages that are still to come'],
] as const) {
  test(`messages that arrive before the state are part of one snapshot, with the state taken ${taken}`, async (t) => {
    const server = await SignalrServer.start(t, { initial: INITIAL });
    server.lateAnswer = { afterMessages: 42, state };
    const { follower } = new Setup(t, server.url);
    await until(() => server.clients === 1);
    const [early, later] = [changes(40), changes(50).slice(40)];
    const compressed = [frame('CarData.z', 'first'), frame('CarData.z', 'second')];
    server.publish(...early.slice(0, 10), compressed[0]!, ...early.slice(10, 20), compressed[1]!, ...early.slice(20));
    server.publish(...later);
    await until(() => follower.messages.at(-1)?.json === later.at(-1)!.json);

    assert.equal(follower.snapshots, 1);
    assertSameState(follower.state, server.state());
    const snapshot = follower.received[0]!;
    assert.ok(snapshot.kind === 'snapshot');
    if (state !== 'ahead') {
      const timing = snapshot.messages.find(({ topic }) => topic === 'TimingData')!;
      const { _kf, ...data } = JSON.parse(timing.json) as JsonObject;
      assert.deepEqual(data, stateAfter({ initial: INITIAL, frames: early }).TimingData);
    }
    // Messages after the result are passed on by themselves, and so is compressed data.
    const messages = follower.messages.map(({ json }) => json);
    const lastOfEarly = state === 'ahead' ? early.slice(20) : [];
    assert.deepEqual(
      messages,
      [...compressed, ...lastOfEarly, ...later].map(({ json }) => json),
    );
  });
}

test('messages that follow the result in the same text are passed on after the snapshot, one by one', async (t) => {
  const server = await SignalrServer.start(t, { initial: INITIAL });
  server.lateAnswer = { afterMessages: 2, state: 'ahead' };
  const { follower } = new Setup(t, server.url);
  await until(() => server.clients === 1);
  const frames = changes(2);
  server.publish(...frames);
  await until(() => follower.messages.length === 1);
  assert.deepEqual(
    follower.received.map(({ kind }) => kind),
    ['snapshot', 'message'],
  );
  assert.deepEqual(follower.messages, asMessages(frames.slice(1)));
});

test('a topic that begins between Subscribe and its result is part of the snapshot, marked as complete', async (t) => {
  const server = await SignalrServer.start(t, {});
  server.lateAnswer = { afterMessages: 1, state: 'before' };
  const { follower } = new Setup(t, server.url);
  await until(() => server.clients === 1);
  server.publish(frame('TrackStatus', { Status: '2' }));
  await until(() => follower.snapshots === 1);
  const snapshot = follower.received[0] as Received & { kind: 'snapshot' };
  assert.deepEqual(snapshot.messages, [{ topic: 'TrackStatus', json: '{"Status":"2","_kf":true}', utcMs: null }]);
});

test('a refresh brings a new snapshot on the same connection, and messages continue meanwhile', async (t) => {
  const { server, follower, source } = await begin(t);
  await until(() => follower.snapshots === 1);
  server.lateAnswer = { afterMessages: 30, state: 'before' };
  source.refresh();
  source.refresh();
  await until(() => server.subscriptions === 2);
  const frames = changes(30);
  server.publish(...frames.slice(0, 20));
  await until(() => follower.messages.length === 20);
  assert.equal(follower.snapshots, 1);
  server.publish(...frames.slice(20));
  await until(() => follower.snapshots === 3);

  assert.equal(server.subscriptions, 3);
  assert.deepEqual(follower.messages, asMessages(frames));
  assertSameState(follower.state, server.state());
  assert.deepEqual(follower.losses, []);
  assert.equal(server.requests.length, 2);
});

test('the WebSocket carries the cookie of the negotiation and the access token', async (t) => {
  const accessToken = 'secret-access-token';
  const options = { initial: INITIAL, gated: ['TrackStatus'], token: accessToken };
  const { server, follower } = await begin(t, options, { accessToken });
  await until(() => follower.snapshots === 1);
  const [negotiation, socket] = server.requests;
  assert.equal(negotiation?.authorization, `Bearer ${accessToken}`);
  assert.equal(socket?.authorization, `Bearer ${accessToken}`);
  assert.match(socket?.cookie ?? '', /^AWSALB=(sticky-\w+); AWSALBCORS=\1$/);
  assert.match(socket?.userAgent ?? '', /./);
  assert.ok('TrackStatus' in follower.state);
});

test('topics that the server does not send delay no other topic, and are logged once', async (t) => {
  const { server, follower, logged } = await begin(t, { initial: INITIAL, gated: ['TrackStatus'], token: 'x' });
  for (let connection = 1; connection <= 3; connection++) {
    await until(() => follower.snapshots === connection);
    server.destroySockets();
  }
  await until(() => follower.snapshots === 4);
  server.publish(frame('TrackStatus', { Status: '2' }), ...changes(1));
  await until(() => follower.messages.length > 0);
  assert.deepEqual(Object.keys(follower.state), ['Heartbeat', 'TimingData']);
  assert.equal(server.requests[0]!.authorization, null);
  const missing = logged.filter(({ details }) => details.topics !== undefined && details.withToken === false);
  assert.deepEqual(
    missing.map(({ details }) => details.topics),
    [['TrackStatus', 'CarData.z']],
  );
});

test('Z4: neither the token nor a cookie appears in a reason or the log, whatever the server sends', async (t) => {
  const accessToken = 'wrong-access-token';
  const server = await SignalrServer.start(t, { initial: INITIAL, token: 'right-access-token' });
  const refused = new Setup(t, server.url, { accessToken });
  await until(() => refused.retries.length >= 2);
  assert.match(refused.reasons[0]!, /401; check the access token/);

  const accepted = new Setup(t, server.url, { accessToken: 'right-access-token' });
  const { follower } = accepted;
  await until(() => follower.snapshots === 1);
  // The other one goes on trying to negotiate, without a cookie.
  const { cookie } = server.requests.findLast((request) => request.cookie !== null)!;
  server.sendText(`{"type":3,"error":"${cookie} right-access-token"}\x1e`);
  server.sayGoodbye(`${'long '.repeat(10)} right-access-token ${cookie} ${'long '.repeat(1_000)}`);
  await until(() => follower.losses.length === 1);
  assert.match(follower.losses[0]!, /long {2}\*\*\* AWSALB=\*\*\*; AWSALBCORS=\*\*\* long/);
  assert.ok(follower.losses[0]!.length < 400);
  const everything = JSON.stringify([refused.logged, accepted.logged, follower.losses]);
  assert.doesNotMatch(everything, /access-token|sticky-/);
});

test('the data keeps the text that the upstream wrote, whatever the form of its message', async (t) => {
  const { server, follower } = await begin(t);
  await until(() => follower.snapshots === 1);
  const utc = '2026-06-27T14:00:00.1234567Z';
  const text = '{"a":1.50,"b":"\\u002B\\"}]}\\u001e","c":[ 1e3 ], "a":2}';
  server.sendText(
    [
      feedRecord('TimingData', text, utc),
      `{"arguments":["TimingData",{"a": 1,"b":[]},"${utc}"],"target":"feed","type":1}`,
      feedRecord('TimingData', '{"a":\n1}', utc),
      feedRecord('CarData.z', '"7ZS\\u002Bx=="', utc),
      feedRecord('TimingData', '{"a":"],\\"x\\"]}"}', 'someday'),
      '{"type":1,"target":"feed","arguments":["TimingData",{"Lines":{}}]}',
      '',
    ].join('\x1e'),
  );
  await until(() => follower.messages.length === 6);
  const utcMs = Date.UTC(2026, 5, 27, 14) + 123.4567;
  assert.deepEqual(follower.messages, [
    { topic: 'TimingData', json: text, utcMs },
    { topic: 'TimingData', json: '{"a":1,"b":[]}', utcMs },
    { topic: 'TimingData', json: '{"a":1}', utcMs },
    { topic: 'CarData.z', json: '"7ZS\\u002Bx=="', utcMs },
    { topic: 'TimingData', json: '{"a":"],\\"x\\"]}"}', utcMs: null },
    { topic: 'TimingData', json: '{"Lines":{}}', utcMs: null },
  ]);
});

test('unusable messages are skipped and logged within bounds; the connection stays', async (t) => {
  const { server, follower, logged } = await begin(t);
  await until(() => follower.snapshots === 1);
  const utc = '2026-06-27T14:00:00Z';
  const unusable = [
    'nonsense',
    '[]',
    '{"type":2}',
    '{"type":1,"target":"other","arguments":["TimingData",{},""]}',
    '{"type":1,"target":"feed","arguments":[{},{},""]}',
    '{"type":3,"invocationId":"77","result":{}}',
    feedRecord('Unknown', '{}', utc),
    feedRecord('TimingData', '[]', utc),
    feedRecord('TimingData', '"text"', utc),
    feedRecord('CarData.z', '{}', utc),
    feedRecord('TimingData', `{"a":"${'x'.repeat(FRAME_BYTES_MAX)}"}`, utc),
    feedRecord('TimingData', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}, }`, utc),
  ];
  for (const record of unusable) server.sendText(`${record}\x1e${record}\x1e`);
  const [last] = changes(1);
  server.publish(last!);
  await until(() => follower.messages.length > 0);
  assert.deepEqual(follower.messages, asMessages([last!]));
  assert.deepEqual(follower.losses, []);
  const ignored = () => logged.filter(({ message }) => message.includes('unusable message'));
  assert.equal(ignored().length, LIVE_UNUSABLE_MESSAGES_MAX);
  assert.equal(ignored()[0]!.details.begins, 'nonsense');
  assert.ok(JSON.stringify(ignored()).length < 5_000);
  server.destroySockets();
  await until(() => follower.losses.length === 1);
  assert.deepEqual(ignored().at(-1)!.details, { messages: unusable.length * 2 });
});

test('an unusable state is left out of the snapshot, and an unusable message out of the state', async (t) => {
  const deep = JSON.parse(`{"a":${'{"b":'.repeat(100)}1${'}'.repeat(100)}}`) as Json;
  const initial = { Heartbeat: [1], TimingData: 'text', TrackStatus: { Status: '1' }, 'CarData.z': 'text' };
  const server = await SignalrServer.start(t, { initial });
  server.lateAnswer = { afterMessages: 2, state: 'before' };
  const { follower, logged } = new Setup(t, server.url);
  await until(() => server.clients === 1);
  server.sendText(`${feedRecord('TrackStatus', JSON.stringify(deep), '')}\x1e`);
  server.publish(frame('TrackStatus', { Message: 'AllClear' }), frame('TrackStatus', { Message: 'all clear' }));
  await until(() => follower.snapshots === 1);
  assert.deepEqual(follower.state, { TrackStatus: { Status: '1', Message: 'all clear' }, 'CarData.z': 'text' });
  assert.ok(logged.some(({ details }) => String(details.reason).includes('nests more than')));
  assert.ok(logged.some(({ details }) => String(details.reason).includes('the state of TimingData')));
});

test('Z3: an oversized text and a flood before the state end the connection, and the next one works', async (t) => {
  const server = await SignalrServer.start(t, { initial: INITIAL });
  server.lateAnswer = { afterMessages: 1_000, state: 'before' };
  const setup = new Setup(t, server.url, { limits: { keptMessagesMax: 100 } });
  const { follower } = setup;
  await until(() => server.clients === 1);
  server.publish(...changes(101));
  await until(() => follower.snapshots === 1);
  assert.match(setup.reasons[0]!, /101 messages arrived before the snapshot/);
  server.sendFrameHead(LIVE_TEXT_BYTES_MAX + 1);
  await until(() => follower.snapshots === 2);
  assert.match(follower.losses[0]!, /payload/i);
  assertSameState(follower.state, server.state());
  assert.equal(setup.reasons.length, 2);
});

test('Z3: exactly the maximum number of messages is kept', async (t) => {
  const server = await SignalrServer.start(t, { initial: INITIAL });
  server.lateAnswer = { afterMessages: 100, state: 'before' };
  const setup = new Setup(t, server.url, { limits: { keptMessagesMax: 100 } });
  const { follower } = setup;
  await until(() => server.clients === 1);
  server.publish(...changes(100));
  await until(() => follower.snapshots === 1);
  assert.deepEqual(setup.reasons, []);
  assertSameState(follower.state, server.state());
});

/** Passes simulated time for a source with real sockets, and lets their events through before and after. */
async function passing(time: SimulatedTime, ms: number): Promise<void> {
  await sleep(30);
  await time.pass(ms);
  await sleep(30);
}

function simulated(limits: SignalrSourceParts['limits'] = {}): {
  time: SimulatedTime;
  parts: Partial<SignalrSourceParts>;
} {
  const time = new SimulatedTime();
  const clock: TimerClock = {
    ...systemClock,
    nowMs: () => time.nowMs(),
    wallMs: () => time.wallMs(),
    // Callbacks for the next turn run by themselves, as the events of the sockets do.
    schedule: (ms, callback) => (ms === 0 ? systemClock : time).schedule(ms, callback),
  };
  const random = { next: () => 0.5 };
  const defaults = { retryMs: 1_000, retryMsMax: LIVE_RETRY_MS_MAX, ...limits };
  return {
    time,
    parts: { clock, random, limits: defaults },
  };
}

test('Z2: a connection ends after 45 s of silence, or of only pings after its first message', async (t) => {
  const { time, parts } = simulated();
  const { server, follower } = await begin(t, { initial: INITIAL }, parts);
  await until(() => follower.snapshots === 1);
  server.isSilent = true;
  await passing(time, 44_999);
  assert.deepEqual(follower.losses, []);
  await passing(time, 1);
  assert.deepEqual(follower.losses, ['no message for 45000 ms']);
  server.isSilent = false;
  await passing(time, 1_000);
  await until(() => follower.snapshots === 2);

  // Before the first message pings are enough.
  for (let i = 0; i < 20; i++) {
    server.ping();
    await passing(time, 15_000);
  }
  assert.equal(follower.losses.length, 1);
  for (let i = 0; i < 20; i++) {
    server.publish(...changes(1));
    await until(() => follower.messages.length === i + 1);
    await passing(time, 15_000);
  }
  assert.equal(follower.losses.length, 1);
  for (let i = 0; i < 2; i++) {
    server.ping();
    await passing(time, 14_000);
  }
  assert.equal(follower.losses.length, 1);
  await passing(time, 2_000);
  assert.equal(follower.losses.length, 2);
});

for (const [hang, reason] of [
  ['negotiation', /no connection within 20000 ms/],
  ['body', /no connection within 20000 ms/],
  ['upgrade', /no connection within 20000 ms/],
  ['handshake', /no connection within 20000 ms/],
  ['subscribe', /no snapshot within 20000 ms/],
] as const) {
  test(`Z2: a server that hangs at the ${hang} is abandoned and tried again`, async (t) => {
    const { time, parts } = simulated();
    const server = await SignalrServer.start(t, { initial: INITIAL });
    server.hang = hang;
    const setup = new Setup(t, server.url, parts);
    const { follower } = setup;
    await until(() => server.requests.length >= (hang === 'negotiation' || hang === 'body' ? 1 : 2));
    if (hang === 'subscribe') await until(() => server.subscriptions === 1);
    await passing(time, 19_999);
    assert.deepEqual(setup.retries, []);
    await passing(time, 1);
    assert.match(setup.reasons[0]!, reason);
    assert.equal(follower.received.length, 0);
    server.hang = null;
    await passing(time, 500);
    await until(() => follower.snapshots === 1);
    assert.deepEqual(follower.losses, []);
  });
}

test('Z2: a refresh without a result ends the connection', async (t) => {
  const { time, parts } = simulated();
  const { server, follower, source } = await begin(t, { initial: INITIAL }, parts);
  await until(() => follower.snapshots === 1);
  server.hang = 'subscribe';
  source.refresh();
  await until(() => server.subscriptions === 2);
  await passing(time, 20_000);
  assert.deepEqual(follower.losses, ['no snapshot within 20000 ms']);
});

test('pauses double up to their bound while a server refuses, and start over after a healthy connection', async (t) => {
  const { time, parts } = simulated();
  const server = await SignalrServer.start(t, { initial: INITIAL });
  server.status = 503;
  const setup = new Setup(t, server.url, parts);
  const { follower } = setup;
  for (let failures = 1; failures <= 8; failures++) {
    await until(() => setup.retries.length === failures);
    if (failures < 8) await time.pass(setup.retries.at(-1)!);
  }
  // Half of each bound: the random number is always 0.5 here.
  assert.deepEqual(setup.retries, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  assert.match(setup.reasons[0]!, /the server responded with status 503/);
  assert.deepEqual(follower.received, []);

  server.status = 200;
  await time.pass(15_000);
  await until(() => follower.snapshots === 1);
  server.closeSockets();
  await until(() => follower.losses.length === 1);
  assert.equal(setup.retries.at(-1), 15_000, 'a server that closes each connection at once gets the full pause');

  await time.pass(15_000);
  for (const [connection, close] of [
    () => server.closeSockets(),
    () => server.closeSockets(1001),
    () => server.sayGoodbye(),
  ].entries()) {
    await until(() => follower.snapshots === connection + 2);
    await beHealthy(time, server, follower);
    close();
    await until(() => follower.losses.length === connection + 2);
    assert.equal(setup.retries.at(-1), 125, 'the regular close of a healthy connection');
    assert.equal(follower.losses.at(-1), 'the server ended the connection');
    await time.pass(125);
  }
  await until(() => follower.snapshots === 5);
  await beHealthy(time, server, follower);
  server.destroySockets();
  await until(() => follower.losses.length === 5);
  assert.equal(setup.retries.at(-1), 500, 'a loss of a healthy connection');
  assert.match(follower.losses.at(-1)!, /broke \(WebSocket code 1006\)/);
});

/** Two minutes of a connection with messages. */
async function beHealthy(time: SimulatedTime, server: SignalrServer, follower: Follower): Promise<void> {
  for (let i = 0; i < 4; i++) {
    const before = follower.messages.length;
    server.publish(...changes(1));
    await until(() => follower.messages.length > before);
    await time.pass(30_000);
  }
}

test('an absent server, or one that does not negotiate, is logged with its reason and tried again', async (t) => {
  const server = await SignalrServer.start(t, {});
  const elsewhere = new Setup(t, server.url.replace('signalrcore', 'nothing'));
  const absent = new Setup(t, `http://127.0.0.1:${(await freePorts(1))[0]}/signalrcore`);
  await until(() => elsewhere.reasons.length > 1 && absent.reasons.length > 1);
  assert.match(elsewhere.reasons[0]!, /the server responded with status 404; check the address/);
  assert.match(absent.reasons[0]!, /ECONNREFUSED/);
});

test('a server that closes, sends or refuses at the wrong moment is tried again', async (t) => {
  const server = await SignalrServer.start(t, { initial: INITIAL });
  const setup = new Setup(t, server.url.replace('http', 'ws'), { limits: { retryMs: 1, retryMsMax: 1 } });
  const reasonsAfter = async (change: () => void): Promise<readonly string[]> => {
    change();
    const before = setup.reasons.length;
    await until(() => setup.reasons.length > before + 20);
    return setup.reasons.slice(before + 5);
  };
  for (const greeting of ['', 'nonsense', '{}\x1e{"type":7}\x1e', '{"error":"unknown"}\x1e']) {
    const reasons = await reasonsAfter(() => {
      server.greeting = greeting;
    });
    assert.ok(
      greeting === '' || reasons.some((reason) => reason.includes('sent a message before the handshake')),
      greeting,
    );
  }
  for (const [handshake, reason] of [
    ['{"error":"unknown protocol"}\x1e', /unknown protocol/],
    ['nonsense', /Error parsing handshake response/],
    ['{}\x1e{"type":7,"error":"no more"}\x1e', /no more/],
    ['{}\x1enonsense', /cut off/],
  ] as const) {
    const reasons = await reasonsAfter(() => {
      server.greeting = null;
      server.handshake = handshake;
    });
    for (const found of reasons) assert.match(found, reason);
  }
  assert.deepEqual(setup.follower.received, []);
  server.handshake = '{}\x1e';
  await until(() => setup.follower.snapshots === 1);
});

test('after close the listener is not called, and close and refresh may be called again', async (t) => {
  const { server, follower, source } = await begin(t);
  await until(() => follower.snapshots === 1);
  const closed = source.close();
  server.publish(...changes(5));
  source.refresh();
  await Promise.all([closed, source.close()]);
  await until(() => server.clients === 0);
  assert.equal(follower.received.length, 1);
  assert.equal(server.subscriptions, 1);
});

test('a listener that closes the source during a call is not called again', async (t) => {
  for (const moment of ['snapshot', 'message', 'lost'] as const) {
    const server = await SignalrServer.start(t, { initial: INITIAL });
    const calls: string[] = [];
    const note = (kind: string) => (): void => {
      calls.push(kind);
      if (kind === moment) void source.close();
    };
    const source = new SignalrSource({
      url: server.url,
      accessToken: null,
      topics: TOPICS,
      clock: systemClock,
      random: seededRandom(1),
      log: { info() {}, warn() {}, error() {} },
      limits: { retryMs: 1 },
    });
    source.start({ snapshot: note('snapshot'), message: note('message'), lost: note('lost') });
    await until(() => calls.length > 0);
    server.publish(...changes(3));
    if (moment === 'lost') server.destroySockets();
    await sleep(60);
    assert.equal(calls.at(-1), moment);
    assert.equal(calls.filter((kind) => kind === moment).length, 1);
    assert.ok(server.subscriptions === 1);
    await source.close();
  }
});

/** Runs a source in its own process, closes it at the given moment, and waits for the process to end by itself. */
async function exitCodeOf(
  scope: TestContext,
  url: string,
  moment: 'soon' | 'snapshot',
  delayMs = 300,
): Promise<number> {
  const here = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { SignalrSource } from ${here('../../../engine/intake/source/signalr-source.ts')};
    import { systemClock } from ${here('../../../engine/base/clock.ts')};
    const source = new SignalrSource({
      url: ${JSON.stringify(url)}, accessToken: null, topics: ['TimingData'], clock: systemClock,
      random: { next: () => 1 }, log: { info() {}, warn() {}, error() {} },
      limits: { retryMs: 3_600_000, retryMsMax: 3_600_000, closeMs: 100 },
    });
    const close = async () => { await source.close(); console.log('closed'); };
    source.start({ snapshot() { if (${moment === 'snapshot'}) setTimeout(close, ${delayMs}); }, message() {}, lost() {} });
    if (${moment === 'soon'}) setTimeout(close, ${delayMs});
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  scope.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const [code] = await once(child, 'exit');
  assert.equal(output, 'closed\n');
  return code;
}

test('after close a process ends by itself, whatever the state of the connection', async (t) => {
  const server = await SignalrServer.start(t, { initial: INITIAL });
  assert.equal(await exitCodeOf(t, server.url, 'snapshot'), 0, 'connected');
  const connections = server.requests.length;
  assert.equal(connections, 2);

  const busy = await SignalrServer.start(t, {});
  busy.status = 503;
  assert.equal(await exitCodeOf(t, busy.url, 'soon', 600), 0, 'waiting for the next try');
  assert.equal(busy.requests.length, 1);

  for (const hang of ['negotiation', 'body', 'upgrade', 'handshake', 'subscribe'] as const) {
    const hanging = await SignalrServer.start(t, { initial: INITIAL });
    hanging.hang = hang;
    assert.equal(await exitCodeOf(t, hanging.url, 'soon', 600), 0, hang);
    assert.ok(hanging.requests.length > 0);
  }

  const deaf = await SignalrServer.start(t, { initial: INITIAL });
  const exit = exitCodeOf(t, deaf.url, 'snapshot');
  await until(() => deaf.clients === 1);
  deaf.stopReading();
  assert.equal(await exit, 0, 'no response to the close frame');
});
