// Streams over real HTTP, from a service that breaks off where the test wants it.

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Service } from '#api/client/service.ts';
import { SlipstreamError } from '#api/client/slipstream-error.ts';
import { type StreamRequest, type StreamState, type Update, UpdateStream } from '#api/client/stream.ts';
import { eventually } from '#test/support/patience.ts';
import { CREDENTIALS, refusal, type ScriptedRequest, type Step, scriptedService } from './scripted-service.ts';

const SESSION = 'race-1';
const OPEN = 'event: stream\ndata: {"state":"open","session":"race-1","feeds":["lap.count"]}\n\n';
const COMPLETED = `id: end\n${ended('completed')}`;

function body(sequence: number): string {
  const data = { currentLap: sequence, totalLaps: 60, note: 'Müller 🏁'.repeat(sequence % 5) };
  return JSON.stringify({ feed: 'lap.count', seriesId: 'f1', sessionId: SESSION, sequence, utc: '', data });
}

function updates(from: number, to: number): string {
  let text = '';
  for (let sequence = from; sequence <= to; sequence++) {
    text += `id: ${SESSION}:${sequence}\nevent: lap.count\ndata: ${body(sequence)}\n\n`;
    if (sequence % 7 === 0) text += ': ping\n\n';
  }
  return text;
}

function ended(code: string): string {
  return `event: stream\ndata: ${JSON.stringify({ state: 'ended', code, message: `Ended: ${code}.` })}\n\n`;
}

function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** Shows these events and ends the answer, as the service does. */
function showing(...texts: string[]): Step {
  return (_, response) => begin(response).end(texts.join(''));
}

/** The sequence that follows the last id. */
function nextOf({ lastId }: ScriptedRequest): number {
  return lastId === '' ? 1 : Number(lastId.split(':')[1]) + 1;
}

async function sequencesOf(stream: AsyncIterable<Update>): Promise<number[]> {
  const sequences: number[] = [];
  for await (const { sequence } of stream) sequences.push(sequence);
  return sequences;
}

function from(first: number, to: number): number[] {
  return Array.from({ length: to - first + 1 }, (_, index) => first + index);
}

test('updates come with their feed, session, sequence, payload and the text as it was sent, until the session is over', async (t) => {
  const { client, requests } = await scriptedService(t, showing(OPEN, updates(1, 2), COMPLETED));
  const found: Update[] = [];
  for await (const update of client.stream({ session: SESSION })) found.push(update);
  assert.deepEqual(found[1], {
    id: 'race-1:2',
    feed: 'lap.count',
    sessionId: SESSION,
    sequence: 2,
    payload: JSON.parse(body(2)),
    body: body(2),
  });
  assert.equal(found.length, 2);
  assert.deepEqual([requests.length, requests[0]!.token, requests[0]!.lastId], [1, 'token-1', '']);
});

test('CS1: a stream that breaks anywhere, in the middle of events and letters, shows each update once and in order', async (t) => {
  const last = 400;
  let cut = 997;
  const { client, requests } = await scriptedService(t, (request, response) => {
    const events = Buffer.from(`${OPEN}${updates(nextOf(request), last)}${COMPLETED}`);
    cut = Math.round(cut * 1.6);
    begin(response).write(events.subarray(0, cut), () => {
      if (cut >= events.length) response.end();
      else setTimeout(() => response.destroy(), 5);
    });
  });
  const bodies: string[] = [];
  for await (const update of client.stream({ session: SESSION })) bodies.push(update.body);
  assert.deepEqual(bodies, from(1, last).map(body));
  assert.ok(requests.length > 5, `${requests.length} connections`);
});

test('CS1: an id that comes before the first update counts', async (t) => {
  const position = `: from here\nid: ${SESSION}:7\n\n`;
  const scripts = [
    (response: ServerResponse) => begin(response).end(`${OPEN}${position}`),
    (response: ServerResponse) => begin(response).end(`${position}${OPEN}${ended('stopping')}`),
  ];
  for (const script of scripts) {
    const { client } = await scriptedService(
      t,
      (_, response) => script(response),
      (request, response) => showing(OPEN, updates(nextOf(request), 9), COMPLETED)(request, response),
    );
    assert.deepEqual(await sequencesOf(client.stream({ session: 'live' })), [8, 9]);
  }
});

test('CS1: a connection that shows nothing new does not lose the place', async (t) => {
  const { client, requests } = await scriptedService(
    t,
    showing(OPEN, updates(1, 3)),
    showing(OPEN),
    showing(OPEN, ': ping\n\n'),
    showing(OPEN, updates(4, 5), COMPLETED),
  );
  assert.deepEqual(await sequencesOf(client.stream({ session: SESSION })), from(1, 5));
  assert.deepEqual(
    requests.map(({ lastId }) => lastId),
    ['', 'race-1:3', 'race-1:3', 'race-1:3'],
  );
});

test('CS2: the stream comes back after it was ended for a time, with a new token where that is the reason', async (t) => {
  const states: StreamState[] = [];
  const { client, requests } = await scriptedService(
    t,
    showing(OPEN, updates(1, 2), ended('stopping')),
    showing(OPEN, updates(3, 4), ended('stream_behind')),
    showing(OPEN, ended('plan_changed')),
    showing(OPEN, updates(5, 6), ended('unauthorized')),
    refusal(503, 'unavailable', { 'retry-after': '0' }),
    refusal(429, 'stream_limit_reached'),
    refusal(502, 'bad_gateway'),
    showing(OPEN, updates(7, 8), COMPLETED),
  );
  const stream = client.stream({ session: SESSION, onState: (state) => states.push(state) });
  assert.deepEqual(await sequencesOf(stream), from(1, 8));
  assert.deepEqual(
    requests.map(({ token, lastId }) => `${token} ${lastId}`),
    [
      'token-1 ',
      'token-1 race-1:2',
      'token-1 race-1:4',
      'token-1 race-1:4',
      'token-2 race-1:6',
      'token-2 race-1:6',
      'token-2 race-1:6',
      'token-2 race-1:6',
    ],
  );
  const shown = states.map((state) => (state.kind === 'open' ? `open ${state.feeds}` : state.error.code));
  assert.deepEqual(
    shown.filter((text) => text !== 'open lap.count'),
    ['stopping', 'stream_behind', 'plan_changed', 'unauthorized', 'stream_limit_reached', 'bad_gateway'],
  );
  assert.equal(shown.length, 11);
});

test('CS2: an ending that coming back cannot change, and any refusal of the first connection, is thrown', async (t) => {
  for (const code of ['monthly_limit', 'updates_gone', 'something_new']) {
    const { client, requests } = await scriptedService(t, showing(OPEN, updates(1, 1), ended(code)));
    const stream = client.stream({ session: SESSION });
    assert.equal((await stream.next()).value?.sequence, 1);
    await assert.rejects(stream.next(), { name: 'SlipstreamError', code, message: `Ended: ${code}.` });
    assert.deepEqual([(await stream.next()).done, requests.length], [true, 1]);
  }
  const refusals = [
    [400, 'invalid_query'],
    [402, 'tier_required'],
    [403, 'insufficient_tier'],
    [404, 'not_found'],
    [409, 'not_prepared'],
    [429, 'stream_limit_reached'],
    [500, 'internal_error'],
  ] as const;
  for (const [status, code] of refusals) {
    const { client, requests } = await scriptedService(t, refusal(status, code));
    await assert.rejects(sequencesOf(client.stream({ session: SESSION })), { status, code, requestId: 'req_1' });
    assert.equal(requests.length, 1);
  }
});

test('CS2: a refusal when it comes back is thrown unless it may pass', async (t) => {
  const { client, requests } = await scriptedService(t, showing(OPEN, updates(1, 1)), refusal(404, 'not_found'));
  const stream = client.stream({ session: SESSION });
  await stream.next();
  await assert.rejects(stream.next(), { status: 404, code: 'not_found' });
  assert.equal(requests.length, 2);
});

test('a stream that comes back to a session that is over ends', async (t) => {
  const { client } = await scriptedService(t, showing(OPEN, updates(1, 3)), (_, response) =>
    response.writeHead(204).end(),
  );
  assert.deepEqual(await sequencesOf(client.stream({ session: SESSION })), [1, 2, 3]);
});

test('what is no stream, or no update, is an error', async (t) => {
  const cases: readonly Step[] = [
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    showing(OPEN, 'event: lap.count\ndata: {"sequence":\n\n'),
    showing(OPEN, 'event: lap.count\ndata: []\n\n'),
  ];
  for (const step of cases) {
    const { client, requests } = await scriptedService(t, step);
    await assert.rejects(sequencesOf(client.stream({ session: SESSION })), { code: 'invalid_answer' });
    assert.equal(requests.length, 1);
  }
});

test('what the program itself throws when the stream opens reaches it, and is no broken connection', async (t) => {
  const { baseUrl, requests } = await scriptedService(t, showing(OPEN, updates(1, 1), COMPLETED));
  const mistake = new RangeError('of the program');
  const onState = ({ kind }: StreamState): void => {
    if (kind === 'open') throw mistake;
  };
  const stream = bounded(baseUrl, { session: SESSION, onState }, { silenceMs: 10_000, returnsMax: 1 });
  await assert.rejects(sequencesOf(stream), (error) => error === mistake);
  assert.equal(requests.length, 1);
});

test('CS3: a stream that cannot come back throws the last failure', async (t) => {
  const service = await scriptedService(t, showing(OPEN, updates(1, 1)), showing());
  const stream = bounded(service.baseUrl, { session: SESSION }, { silenceMs: 10_000, returnsMax: 3 });
  await stream.next();
  await assert.rejects(stream.next(), { code: 'no_answer', message: 'the stream was cut off' });
  assert.equal(service.requests.length, 4);
});

test('CS3: who is asked to come back after days is told at once, with the time; timers do not reach so far', async (t) => {
  const later = refusal(503, 'unavailable', { 'retry-after': String(30 * 86_400) });
  const service = await scriptedService(t, showing(OPEN, updates(1, 1)), later, showing(OPEN, COMPLETED));
  const states: StreamState['kind'][] = [];
  const onState = ({ kind }: StreamState): unknown => states.push(kind);
  const stream = bounded(service.baseUrl, { session: SESSION, onState }, { silenceMs: 10_000, returnsMax: 3 });
  await stream.next();
  await assert.rejects(stream.next(), { status: 503, code: 'unavailable', retryAfterS: 30 * 86_400 });
  assert.equal(service.requests.length, 2);
  assert.deepEqual(states, ['open', 'interrupted'], 'only the first connection was interrupted');
});

test('CS2: a connection on which nothing comes is given up, and one that only pings is not', async (t) => {
  const { baseUrl, requests } = await scriptedService(
    t,
    (_, response) => {
      begin(response).write(OPEN + updates(1, 1));
      const pings = setInterval(() => response.write(': ping\n\n'), 50);
      setTimeout(() => clearInterval(pings), 900);
    },
    showing(OPEN, updates(2, 2), COMPLETED),
  );
  const beganMs = performance.now();
  const stream = bounded(baseUrl, { session: SESSION }, { silenceMs: 400, returnsMax: 3 });
  assert.deepEqual(await sequencesOf(stream), [1, 2]);
  assert.ok(performance.now() - beganMs > 1_200);
  assert.equal(requests.length, 2);
});

test('CS4: nothing is read ahead of a program that takes its time, and its pause is no silence', async (t) => {
  let written = 0;
  const block = updates(1, 50);
  const { baseUrl } = await scriptedService(t, async (_, response) => {
    begin(response).write(OPEN);
    const more = (): void => {
      while (written < 64 * 1024 * 1024 && !response.destroyed) {
        written += block.length;
        if (!response.write(block)) return void response.once('drain', more);
      }
      response.end(COMPLETED);
    };
    more();
  });
  const stream = bounded(baseUrl, { session: SESSION }, { silenceMs: 300, returnsMax: 0 });
  await stream.next();
  await wait(700);
  assert.ok(written < 16 * 1024 * 1024, `${written} bytes`);
  for (let count = 0; count < 2_000; count++) assert.equal((await stream.next()).done, false);
  await stream.return();
});

test('a stream that the program leaves, or ends by its signal, closes its connection', async (t) => {
  const reason = new Error('the program wants it');
  let open = 0;
  const service = await scriptedService(t, (_, response) => {
    open++;
    response.on('close', () => open--);
    begin(response).write(OPEN + updates(1, 1));
  });
  for await (const { sequence } of service.client.stream({ session: SESSION })) {
    assert.equal(sequence, 1);
    break;
  }
  await eventually('the connection is closed', () => open === 0);

  const controller = new AbortController();
  const stream = service.client.stream({ session: SESSION, signal: controller.signal });
  await stream.next();
  const next = assert.rejects(stream.next(), reason);
  controller.abort(reason);
  await next;
  await eventually('the connection is closed', () => open === 0);
  await assert.rejects(service.client.stream({ session: SESSION, signal: controller.signal }).next(), reason);

  const hour = refusal(429, 'rate_limit_exceeded', { 'retry-after': '3600' });
  const interrupted = await scriptedService(t, showing(OPEN, updates(1, 1), ended('stopping')), hour);
  const waiting = new AbortController();
  const onState = (state: StreamState) => {
    if (state.kind === 'interrupted' && state.returnsInMs === 3_600_000) setImmediate(() => waiting.abort(reason));
  };
  const returning = interrupted.client.stream({ session: SESSION, signal: waiting.signal, onState });
  await returning.next();
  await assert.rejects(returning.next(), reason);
  assert.equal(interrupted.requests.length, 2);
});

test('the query has what was asked for, as the service wants it', async (t) => {
  const { client, requests } = await scriptedService(t, showing(OPEN, COMPLETED));
  const queries = async (request: StreamRequest) => {
    await sequencesOf(client.stream(request));
    const { path, lastId } = requests.at(-1)!;
    return [Object.fromEntries(new URL(path, 'http://localhost').searchParams), lastId];
  };
  assert.deepEqual(await queries({ run: 'run_1', afterId: 'x:12' }), [{ run: 'run_1' }, 'x:12']);
  const all = {
    session: 'live',
    feeds: ['timing.*', 'events.race'],
    drivers: ['VER', 'HAM'],
    driverNumbers: ['1'],
    constructors: ['red bull'],
    eventTypes: ['overtake'],
    positionMin: 1,
    positionMax: 10,
    after: 0,
    speed: 2.5,
    signal: undefined,
  } as const satisfies StreamRequest;
  assert.deepEqual(await queries(all), [
    {
      session: 'live',
      feeds: 'timing.*,events.race',
      drivers: 'VER,HAM',
      driverNumbers: '1',
      constructors: 'red bull',
      eventTypes: 'overtake',
      positionMin: '1',
      positionMax: '10',
      after: '0',
      speed: '2.5',
    },
    '',
  ]);
});

test('errors of a stream have no secrets', async (t) => {
  const { client } = await scriptedService(t, showing(OPEN, ended('monthly_limit')));
  const error = await sequencesOf(client.stream({ session: SESSION })).catch((thrown) => thrown);
  assert.ok(error instanceof SlipstreamError);
  assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /cs_of_the_test|token-1/);
});

function bounded(baseUrl: string, request: StreamRequest, bounds: ConstructorParameters<typeof UpdateStream>[2]) {
  const service = new Service({
    baseUrl,
    source: { kind: 'credentials', ...CREDENTIALS },
    timeoutMs: 10_000,
    retries: 0,
  });
  return new UpdateStream(service, request, bounds).updates();
}
