// What the interface does not name, but customers of replays asked for: the choice of endpoints, and the places that a
// replay is moved to, in the compiled artifacts of whole sessions.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BRIEF_SESSION } from '#test/support/brief-session.ts';
import type { ContractClient } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import type { WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { receivingEndpoints } from './receiving-endpoints.ts';
import { service } from './replay-service.ts';
import { endedRun, runOnce } from './run-watch.ts';
import { prepare } from './short-session.ts';

const DEMO = 'demo-race';
const receiving = receivingEndpoints({ after });

const start = (client: ContractClient, sessionId: string, query: string) =>
  client.call('GET', `/simulate/stream?session=${sessionId}&${query}`);

before(async () => {
  const client = await service.client('custom');
  for (const sessionId of [BRIEF_SESSION, DEMO]) await prepare(client, sessionId);
});

interface Payload {
  readonly feed: string;
  readonly sequence: number;
  readonly utc: string;
  readonly data: { readonly currentLap?: number };
}

const payloadsOf = ({ received }: WebhookReceiver): Payload[] => received.map(({ body }) => JSON.parse(String(body)));

/** A paused run of this session to one new endpoint, and a way to change it. */
async function paused(sessionId: string) {
  const client = await service.client('custom');
  const { receiver } = await receiving(client);
  const started = await start(client, sessionId, 'sinks=webhook&speed=1');
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const { runId } = started.body.data;
  const change = async (what: string, body?: unknown) => {
    const answer = await client.call('POST', `/simulate/runs/${runId}/${what}`, body);
    assert.ok([200, 202].includes(answer.status), JSON.stringify(answer.body));
    return answer.body.data;
  };
  await eventually('a delivery', () => receiver.received.length > 0);
  await change('pause');
  await runOnce(client, runId, ({ endpoints }) => endpoints[0]!.pending === 0);
  const before = payloadsOf(receiver).length;
  /** What arrives after the jump, until `enough`. */
  const after = async (enough: (payloads: readonly Payload[]) => boolean) => {
    await change('resume');
    const later = () => payloadsOf(receiver).slice(before);
    await eventually('what comes after the jump', () => enough(later()));
    await client.call('DELETE', `/simulate/stream?runId=${runId}`);
    await endedRun(client, runId);
    return later().toSorted((a, b) => a.sequence - b.sequence);
  };
  return { change, after };
}

describe('Replay control', { concurrency: 4 }, () => {
  test('webhookIds: only the chosen endpoints get the replay, and only they are shown in it', async () => {
    const client = await service.client('custom');
    const [chosen, other] = [await receiving(client), await receiving(client)];
    const { status, body } = await start(
      client,
      BRIEF_SESSION,
      `speed=10&sinks=webhook&webhookIds=${chosen.webhookId}`,
    );
    assert.deepEqual([status, body.data.endpoints, body.data.webhookIds], [202, 1, [chosen.webhookId]]);
    const run = await endedRun(client, body.data.runId);
    assert.deepEqual(
      run.endpoints.map(({ webhookId }) => webhookId),
      [chosen.webhookId],
    );
    assert.deepEqual([chosen.receiver.received.length, other.receiver.received.length], [run.updateCount, 0]);
    const unknown = await start(client, BRIEF_SESSION, 'sinks=webhook&webhookIds=wh_nothing');
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found']);
    const watched = await start(client, BRIEF_SESSION, `webhookIds=${chosen.webhookId}`);
    assert.deepEqual([watched.status, watched.body.code], [400, 'invalid_query']);
    await client.call('PATCH', `/webhooks/${other.webhookId}`, { active: false });
    const inactive = await start(client, DEMO, `sinks=webhook&webhookIds=${other.webhookId}`);
    assert.deepEqual([inactive.status, inactive.body.code], [409, 'endpoint_inactive']);
  });

  test('Without an active endpoint a replay to endpoints is refused (409), and one to the caller is not', async () => {
    const client = await service.client('free');
    for (const sinks of ['webhook', 'both']) {
      const { status, body } = await start(client, DEMO, `sinks=${sinks}`);
      assert.deepEqual([status, body.code], [409, 'no_active_endpoint']);
    }
    const { webhookId } = await receiving(client);
    await client.call('PATCH', `/webhooks/${webhookId}`, { active: false });
    assert.equal((await start(client, BRIEF_SESSION, 'sinks=webhook')).body.code, 'no_active_endpoint');
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${client.token}` };
    const watched = await fetch(`${service.baseUrl}/simulate/stream?session=${DEMO}`, {
      headers,
      signal: leave.signal,
    });
    assert.equal(watched.status, 200);
    leave.abort();
  });

  for (const [session, lap] of [
    [BRIEF_SESSION, 60],
    [DEMO, 6],
  ] as const)
    test(`A seek to a lap of ${session} continues with the update with which the leader begins it`, async () => {
      const { change, after } = await paused(session);
      const { position, state } = await change('seek', { lap });
      assert.equal(state, 'paused');
      const laps = (payloads: readonly Payload[]) => payloads.filter(({ feed }) => feed === 'lap.count');
      const [first, ...others] = await after((payloads) => payloads.some(({ sequence }) => sequence === position + 1));
      assert.deepEqual([first!.feed, first!.data.currentLap, first!.sequence], ['lap.count', lap, position + 1]);
      assert.ok(laps(others).every(({ data }) => data.currentLap! > lap));
    });

  test('A seek to a time of a session continues with the first update of that time, and so does one to seconds', async () => {
    const byLap = await paused(BRIEF_SESSION);
    const there = await byLap.change('seek', { lap: 60 });
    const [first] = await byLap.after((payloads) => payloads.length > 0);
    for (const place of [
      { time: first!.utc },
      { seconds: (Date.parse(first!.utc) - Date.parse('2026-05-03T14:00:00Z')) / 1_000 },
    ]) {
      const { change, after } = await paused(BRIEF_SESSION);
      const { position } = await change('seek', place);
      assert.ok(position <= there.position && position > there.position - 20, JSON.stringify(place));
      const later = await after((payloads) => payloads.some(({ sequence }) => sequence === first!.sequence));
      assert.equal(later[0]!.sequence, position + 1);
      assert.ok(later.every(({ utc }) => utc >= first!.utc));
    }
  });

  test('A replay can begin at a lap: nothing of what comes before is delivered or counted', async () => {
    const client = await service.client('custom');
    const { receiver } = await receiving(client, { feedId: 'lap.count' });
    const { body } = await start(client, BRIEF_SESSION, 'sinks=webhook&speed=10&lap=90');
    const { endpoints } = await endedRun(client, body.data.runId);
    assert.deepEqual(
      payloadsOf(receiver)
        .map(({ data }) => data.currentLap)
        .toSorted(),
      [90, 91, 92, 93, 94],
    );
    assert.deepEqual([endpoints[0]!.matched, endpoints[0]!.delivered], [5, 5]);
  });
});
