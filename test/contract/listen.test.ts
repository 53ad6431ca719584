// `listen` against the service: what a program on a customer's machine gets, and what the customer sees.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BRIEF_SESSION, importBothSessions, OTHER_SESSION } from '#test/support/brief-session.ts';
import { type ContractClient, contractService } from '#test/support/contract-service.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { newSecret } from '#test/support/signed-deliveries.ts';
import { verifyingReceiver } from '#test/support/verifying-receiver.ts';
import { openStream } from './event-stream.ts';
import { printedSecret, startListening } from './listening.ts';
import { IN_SEASON, prepare } from './short-session.ts';

const service = await contractService({ after }, { ...IN_SEASON, ADMIN_PORT: '0' }, importBothSessions);
let bodies: readonly string[] = [];

const envOf = ({ clientId, clientSecret }: Pick<ContractClient, 'clientId' | 'clientSecret'>) => ({
  SLIPSTREAM_URL: service.baseUrl,
  SLIPSTREAM_CLIENT_ID: clientId,
  SLIPSTREAM_CLIENT_SECRET: clientSecret,
});
const sequencesOf = (some: readonly string[]): number[] => some.map((body) => JSON.parse(body).sequence);

before(async () => {
  const client = await service.client('custom');
  await prepare(client, BRIEF_SESSION);
  const whole = await openStream(service.process.address, client.token, `session=${BRIEF_SESSION}`);
  await whole.ended();
  bodies = whole.bodies();
  assert.ok(bodies.length > 200);
});

test('a replay comes as deliveries do: whole, in order, signed twice, and again after failures', async (t) => {
  const receiver = await verifyingReceiver(t, () => printedSecret(listening)!);
  receiver.answer = ({ sequence, attempt }) => (sequence === 5 && attempt < 3 ? 500 : 204);
  const listening = startListening(
    t,
    envOf(await service.client('custom')),
    `--forward-to ${receiver.url} --session ${BRIEF_SESSION} --speed 10`,
  );
  assert.equal(await listening.ended, 0, listening.err.join('\n'));
  assert.equal(receiver.forged, 0);

  const first = receiver.received.filter(({ attempt }) => attempt === 1);
  assert.deepEqual(
    first.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    sequencesOf(bodies),
  );
  assert.deepEqual(new Set(first.map(({ body }) => body)), new Set(bodies));
  const fifth = receiver.received.filter(({ sequence }) => sequence === 5);
  assert.deepEqual(
    fifth.map(({ attempt }) => attempt),
    [1, 2, 3],
  );
  assert.equal(new Set(fifth.map(({ id }) => id)).size, 1);
  const pauses = fifth.slice(1).map(({ atMs }, index) => atMs - fifth[index]!.atMs);
  assert.ok(pauses[0]! >= 1_000 && pauses[1]! >= 5_000, `${pauses}`);

  const [{ headers }] = first as [(typeof first)[0]];
  assert.equal(headers['x-service-mode'], 'replay');
  assert.equal(headers['x-service-replay-session'], BRIEF_SESSION);
  assert.match(String(headers['x-service-replay-run-id']), /^run_[0-9a-z]{26}$/);
  assert.equal(headers['x-service-replay-speed'], '10');
  assert.equal(headers['user-agent'], 'Slipstream/1');

  const shown = listening.out
    .filter((line) => / 5 {2}\d\/4/.test(line))
    .map((line) => line.replace(/^\S+ {2}|\d[\d.]* ms/g, ''));
  const feed = String(fifth[0]!.headers['x-service-feed']).padEnd(24);
  assert.deepEqual(shown, [
    `${feed}      5  1/4  http_status 500    again in 1 s`,
    `${feed}      5  2/4  http_status 500    again in 5 s`,
    `${feed}      5  3/4  204  `,
  ]);
  assert.match(listening.out[0]!, /^\d\d:\d\d:\d\d\.\d{3} {2}session\.info +1 {2}1\/4 {2}204 {2}\d[\d.]* ms$/);
  const count = bodies.length;
  assert.match(
    listening.err.join('\n'),
    new RegExp(`\\n${count} updates: ${count} delivered, 0 failed; 2 retries\\nlatency p50 `),
  );
});

test('--print shows the bodies, byte for byte, and filters choose as those of webhooks do', async (t) => {
  const env = envOf(await service.client('custom'));
  const printed = async (words: string): Promise<readonly string[]> => {
    const { out, err, ended } = startListening(t, env, `--print --session ${BRIEF_SESSION} --speed 10 ${words}`);
    assert.equal(await ended, 0, err.join('\n'));
    return out;
  };
  const parsed = bodies.map((body) => ({ body, payload: JSON.parse(body) }));
  const bodiesOf = (chosen: typeof parsed) => chosen.map(({ body }) => body);
  const [part, events, hers] = await Promise.all([
    printed(`--after ${bodies.length - 40}`),
    printed('--events pit_entry'),
    printed('--feeds timing.data --drivers HER'),
  ]);
  assert.deepEqual(part, bodies.slice(-40));
  assert.ok(events!.length > 0);
  assert.deepEqual(events, bodiesOf(parsed.filter(({ payload }) => payload.event === 'pit_entry')));
  const ofHers = parsed.filter(
    ({ payload: { feed, drivers } }) =>
      feed === 'timing.data' && drivers.some(({ tla }: { tla: string }) => tla === 'HER'),
  );
  assert.deepEqual(hers, bodiesOf(ofHers));
});

test('live sessions come as live, and Ctrl-C ends with where to continue', async (t) => {
  const secret = newSecret();
  const receiver = await verifyingReceiver(t, () => secret);
  const env = { ...envOf(await service.client('developer')), SLIPSTREAM_WEBHOOK_SECRET: secret };
  const listening = startListening(t, env, `--forward-to ${receiver.url}`);
  await eventually('it listens', () => listening.err.some((line) => line.startsWith('Listening: ')));
  const source = new OwnSource(service, '2026-silverstone-race');
  await source.upTo(3_000);
  await eventually('some updates', () => receiver.received.length >= 10);
  listening.stop();
  assert.equal(await listening.ended, 0);
  const { length } = receiver.received;
  assert.equal(receiver.forged, 0);
  assert.deepEqual(new Set(receiver.received.map(({ headers }) => headers['x-service-mode'])), new Set(['live']));
  assert.equal(receiver.received[0]!.headers['x-service-replay-run-id'], undefined);
  const last = Math.max(...receiver.received.map(({ sequence }) => sequence));
  assert.deepEqual(listening.err.slice(0, 2), [
    'Signed with SLIPSTREAM_WEBHOOK_SECRET',
    `Listening: 25 feeds of whatever is live to ${receiver.url}. Ctrl-C ends`,
  ]);
  const [summary, latency, next] = listening.err.slice(2) as [string, string, string];
  assert.match(summary, new RegExp(`^\\d+ updates: ${length} delivered, 0 failed(, 1 unfinished)?; 0 retries$`));
  assert.match(latency, /^latency p50 [\d.]+ ms, p95 [\d.]+ ms$/);
  const continued = Number(/^To continue there: --session 2026-silverstone-race --after (\d+)$/.exec(next)?.[1]);
  // One that was given up comes next. Those of feeds that the plan does not have may be between.
  assert.ok(
    summary.includes('1 unfinished') ? continued >= last : continued === last,
    `${next}, and ${last} was the last`,
  );

  const lastTwo = receiver.received.toSorted((x, y) => x.sequence - y.sequence).slice(-2);
  const place = lastTwo[0]!.sequence - 1;
  startListening(t, env, `--forward-to ${receiver.url} --session 2026-silverstone-race --after ${place}`);
  const again = () => new Set(receiver.received.slice(length).map(({ id }) => id));
  await eventually('the same updates with the same ids, so that a program recognises them', () =>
    lastTwo.every(({ id }) => again().has(id)),
  );
  await source.end();
});

test('where nothing listens, it says so once, tries again, and ends with what is left to do', async (t) => {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/hook`;
  const env = envOf(await service.client('custom'));
  const listening = startListening(t, env, `--forward-to ${url} --session ${BRIEF_SESSION} --speed 10 --after 100`);
  await eventually('a second attempt', () => listening.out.some((line) => line.includes('  2/4  ')));
  assert.match(listening.out[0]!, / 101 {2}1\/4 {2}connection_refused \(ECONNREFUSED\) {2}[\d.]+ ms {2}again in 1 s$/);
  const hints = listening.err.filter((line) => line.startsWith(`Nothing listens at ${url}: start your program.`));
  assert.equal(hints.length, 1);
  listening.stop();
  assert.equal(await listening.ended, 0);
  const summary = listening.err.find((line) => line.includes('delivered'))!;
  const [, updates, unfinished] = /^(\d+) updates: 0 delivered, 0 failed, (\d+) unfinished; \d+ retr/.exec(summary)!;
  assert.equal(updates, unfinished);
  assert.equal(listening.err.at(-1), `To continue there: --session ${BRIEF_SESSION} --after 100`);
});

test('a session that is not prepared is prepared on the way', async (t) => {
  const listening = startListening(
    t,
    envOf(await service.client('custom')),
    `--print --session ${OTHER_SESSION} --speed 10 --after 280`,
  );
  assert.equal(await listening.ended, 0, listening.err.join('\n'));
  assert.ok(listening.out.length > 10);
});

test('what cannot go on ends with the reason, the next step and exit code 1, without secrets', async (t) => {
  const custom = await service.client('custom');
  const free = await service.client('free');
  await service.sql`
    insert into usage (account_id, month, feed_id, attempts)
    values (${free.accountId}, date_trunc('month', now() at time zone 'utc'), 'timing.data', 4997)`;
  const developer = envOf(await service.client('developer'));
  const [nowhere] = await freePorts(1);
  const replay = `--print --session ${BRIEF_SESSION}`;
  const cases: readonly (readonly [
    env: Readonly<Record<string, string>>,
    words: string,
    code: number,
    text: RegExp,
  ])[] = [
    [
      envOf({ ...custom, clientSecret: 'wrong-secret' }),
      replay,
      1,
      /client secret is wrong\. Take SLIPSTREAM_CLIENT_ID and .* from the first page of the service\. \(invalid_client, request \S+\)$/,
    ],
    [
      { ...developer, SLIPSTREAM_URL: `http://127.0.0.1:${nowhere}/v1` },
      replay,
      1,
      /ECONNREFUSED\. Is http:\/\/127\.0\.0\.1:\d+\/v1 the address of the API\? SLIPSTREAM_URL or --url says it\. \(no_answer\)$/,
    ],
    [
      developer,
      `${replay} --feeds analytics.strategy`,
      1,
      /Name others with --feeds, or take a higher plan\. \(tier_required/,
    ],
    [developer, '--print --session nobody-knows', 1, /There is no such session: .*\(not_found/],
    [developer, `${replay} --drivers Hamilton`, 1, /"Hamilton" is not a three-letter driver code\. \(invalid_filters/],
    [
      envOf(free),
      `${replay} --speed 10`,
      1,
      /^The account has used its deliveries of this month: .* \(monthly_limit\)$/,
    ],
    [{ ...developer, SLIPSTREAM_URL: 'localhost:1' }, replay, 2, /^SLIPSTREAM_URL or --url must be the http or https/],
  ];
  for (const [env, words, code, text] of cases) {
    const { err, ended } = startListening(t, env, words);
    assert.equal(await ended, code, words);
    assert.match(err.at(-1)!, text);
    assert.doesNotMatch(err.join('\n'), /wrong-secret/);
    assert.doesNotMatch(err.join('\n'), new RegExp(custom.clientSecret));
  }
});
