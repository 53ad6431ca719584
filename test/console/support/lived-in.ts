// An account that has lived a little: an endpoint that answers and one that fails, a race that was delivered to them, and
// a calendar. What pages show is then more than their empty state.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import type { ConsoleScene, Person } from './console-scene.ts';

export interface LivedIn extends Person {
  /** The endpoint that answers. */
  readonly webhookId: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses whose type is not certain
type Answer = { readonly status: number; readonly body: any };

/** `runMs`: how long the demo race is delivered, at ten times its speed. */
export async function livedIn(scope: Scope, scene: ConsoleScene, runMs: number): Promise<LivedIn> {
  await importCalendar(scene);
  const person = await scene.person('custom');
  const { cookie } = person;
  const issued = await scene.service.call('POST', '/oauth/credentials', undefined, { cookie });
  const { clientId, clientSecret } = issued.body;
  const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const token: string = (await scene.service.call('POST', '/oauth', grant)).body.access_token;
  const call: LivedIn['call'] = (method, path, body) => scene.service.call(method, path, body, { token });

  const answering = await startWebhookReceiver();
  const failing = await startWebhookReceiver();
  scope.after(() => Promise.all([answering.close(), failing.close()]));
  failing.answer(500);
  const webhook = async (webhookUrl: string, body: Record<string, unknown>): Promise<string> => {
    const { status, body: made } = await call('POST', '/webhooks', { webhookUrl, ...body });
    assert.equal(status, 201, JSON.stringify(made));
    return made.data.webhookId;
  };
  const webhookId = await webhook(answering.url, { feedIds: ['*'], description: 'Timing wall' });
  await webhook(failing.url, { feedId: 'race-control.messages', description: 'Race control <b>archive</b>' });
  await call('POST', `/webhooks/${webhookId}/test`);

  await call('POST', '/simulate/prepare', { sessionId: 'demo-race' });
  await eventually('the demo race is ready', async () => {
    return (await call('GET', '/simulate/status?session=demo-race')).body.data.status === 'ready';
  });
  const run = await call('GET', '/simulate/stream?session=demo-race&speed=10&sinks=webhook');
  assert.equal(run.status, 202, JSON.stringify(run.body));
  await new Promise((resolve) => setTimeout(resolve, runMs));
  await call('DELETE', `/simulate/stream?runId=${run.body.data.runId}`);
  await eventually('the race is stopped', async () => {
    return (await call('GET', '/simulate/runs?limit=1')).body.data.runs[0].state === 'stopped';
  });
  return { ...person, webhookId, call };
}

const DAY_MS = 86_400_000;

/** Three rounds: one held, one to come this week, one later. */
async function importCalendar({ service }: ConsoleScene): Promise<void> {
  const nowMs = Date.now();
  const at = (days: number, hour: number): string =>
    `${new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10)}T${hour}:00:00`;
  const meeting = (round: number, name: string, place: string, days: number) => ({
    Number: round,
    Name: name,
    Location: place,
    Circuit: { Key: round, ShortName: place },
    Sessions: [
      { Type: 'Qualifying', Name: 'Qualifying', StartDate: at(days, 14), EndDate: at(days, 15) },
      { Type: 'Race', Name: 'Race', StartDate: at(days + 1, 13), EndDate: at(days + 1, 15) },
    ].map((session) => ({ ...session, GmtOffset: '00:00:00' })),
  });
  const Meetings = [
    meeting(1, 'Dutch Grand Prix', 'Zandvoort', -14),
    meeting(2, 'Monaco Grand Prix', 'Monte Carlo', 3),
    meeting(3, 'Italian Grand Prix', 'Monza', 17),
  ];
  const path = join(service.dataDir, 'Index.json');
  writeFileSync(path, JSON.stringify({ Year: new Date(nowMs).getUTCFullYear(), Meetings }));
  await service.admin(['import', 'calendar', path]);
}
