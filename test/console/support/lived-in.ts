// An account that has lived a little: an endpoint that answers and one that fails, a race that was delivered to them, and
// a season. What pages show is then more than their empty state.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ListEventsAnswer } from '#api/client/calls.ts';
import { mailedToken, signUp } from '#test/contract/visitor.ts';
import type { Scope } from '#test/support/contract-service.ts';
import { eventually } from '#test/support/patience.ts';
import { startWebhookReceiver } from '#test/support/webhook-receiver.ts';
import type { ConsoleScene, Person } from './console-scene.ts';
import { writeInventedSeasons } from './invented-season.ts';

export interface LivedIn extends Person {
  /** The endpoint that answers. */
  readonly webhookId: string;
  /** The next race of the calendar. */
  readonly nextRaceId: string;
  /** The latest race that was held. */
  readonly lastRaceId: string;
  /** Where somebody confirms an address, who has signed up and not yet done so. */
  readonly confirmPath: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read responses whose type is not certain
type Answer = { readonly status: number; readonly body: any };

/** `runMs`: how long the demo race is delivered, at ten times its speed. */
export async function livedIn(scope: Scope, scene: ConsoleScene, runMs: number): Promise<LivedIn> {
  await importSeasons(scene);
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
  await webhook(failing.url, { feedId: 'race-control.messages', description: 'Race control archive' });
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
  const confirmPath = `/verify-email?token=${await mailedToken(scene.service, await signUp(scene.service))}`;
  return { ...person, webhookId, ...(await racesOf(call)), confirmPath, call };
}

async function racesOf(call: LivedIn['call']): Promise<Pick<LivedIn, 'nextRaceId' | 'lastRaceId'>> {
  const { events } = (await call('GET', '/events')).body.data as ListEventsAnswer;
  const races = events.flatMap(({ sessions }) => sessions.filter(({ type }) => type === 'Race'));
  const upcoming = races.find(({ status }) => status === 'upcoming');
  const finished = races.findLast(({ status }) => status === 'finished');
  return { nextRaceId: upcoming!.sessionId, lastRaceId: finished!.sessionId };
}

/** The calendar of this season, and what the models learn from. */
async function importSeasons({ service }: ConsoleScene): Promise<void> {
  const folder = join(service.dataDir, 'invented');
  mkdirSync(folder);
  writeInventedSeasons(folder, Date.now());
  await service.admin(['import', 'history', folder]);
  await service.admin(['import', 'calendar', folder, '--season', String(new Date().getUTCFullYear())]);
}
