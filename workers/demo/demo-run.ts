// The demo from start to end: a service of its own, receivers, one replay, and the verdict.

import { setTimeout as delay } from 'node:timers/promises';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import { ApiClient, type Credentials, type SessionItem } from './api-client.ts';
import { makeDataFolder, removeDataFolder } from './data-folder.ts';
import type { DemoOptions } from './demo-options.ts';
import { DemoReplay } from './demo-replay.ts';
import { eventUpdates } from './event-updates.ts';
import { FollowedStream } from './followed-stream.ts';
import { grpcUpdates } from './grpc-updates.ts';
import { makeParticipants, type Participant } from './participant.ts';
import { makeReceiverCertificate } from './pkijs-certificate.ts';
import type { Screen } from './screen.ts';
import { ServiceProcess } from './service-process.ts';
import { summaryText } from './summary.ts';
import { writeTrustedCertificates } from './trusted-certificates.ts';

const POLL_MS = 200;

/** Runs the demo and returns whether it passed. Cleans up in every case. */
export async function runDemo(options: DemoOptions, screen: Screen, interrupt: AbortController): Promise<boolean> {
  const { signal } = interrupt;
  const startedMs = performance.now();
  const folder = makeDataFolder();
  const cleanUp: (() => unknown)[] = [];
  try {
    if (!options.keep) cleanUp.push(() => removeDataFolder(folder));
    const certificate = await makeReceiverCertificate(Date.now());
    const trusted = writeTrustedCertificates(folder, certificate.cert, process.env.NODE_EXTRA_CA_CERTS);
    if (trusted.warning !== null) screen.say(trusted.warning);
    signal.throwIfAborted();
    const settings = { NODE_EXTRA_CA_CERTS: trusted.path, GRPC_PORT: '0' };
    const service = await ServiceProcess.start(folder, signal, settings);
    cleanUp.push(() => service.stop());
    service.unexpectedEnd().catch((error) => interrupt.abort(error));
    screen.say(`service ready on ${service.address} after ${seconds(performance.now() - startedMs)}`);

    const api = new ApiClient(service.address, signal);
    const account = ['account', 'create', '--email', 'demo@example.com', '--plan', 'custom'];
    const credentials = (await service.admin(account, signal)) as Credentials;
    await api.signIn(credentials);
    const session = await findSession(service, api, options, signal);
    const { name, updateCount, durationSeconds } = session;
    screen.say(`${name}: ${updateCount.toLocaleString('en')} updates in ${Math.round(durationSeconds / 60)} minutes`);

    const follow = (runId: string): FollowedStream[] => [
      new FollowedStream('server-sent events', eventUpdates(service.address, credentials, runId, signal)),
      new FollowedStream('gRPC', grpcUpdates(service.grpcAddress, api.token, runId, signal)),
    ];
    const replay = new DemoReplay(api, session, options, screen, signal, follow);
    const participants = makeParticipants(options, certificate, (...arrival) => replay.arrived(...arrival));
    await register(api, participants, cleanUp);
    screen.say(`${participants.length} receivers registered; each verifies both signatures of every delivery`);
    screen.say(schemesText(participants));
    if (session.demo) screen.say('all of them get the built-in race in full, regardless of their subscriptions');
    await prepare(api, session.sessionId, screen, signal);

    const outcome = await replay.play(participants);
    const { text, passed } = summaryText(outcome, screen);
    screen.say(text);
    const took = seconds(performance.now() - startedMs);
    screen.say(passed ? screen.good(`PASSED in ${took}`) : screen.bad(`FAILED after ${took}`));
    return passed;
  } finally {
    for (const step of cleanUp.reverse()) {
      try {
        await step();
      } catch (error) {
        // A failed step must not keep the others from running.
        screen.say(String(error));
      }
    }
    if (options.keep) screen.say(`The data folder is ${folder}`);
  }
}

async function findSession(
  service: ServiceProcess,
  api: ApiClient,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<SessionItem> {
  if (options.recording === null) return api.session(DEMO_SESSION_ID);
  const imported = (await service.admin(['import', 'recording', options.recording], signal)) as { sessionId: string };
  return api.session(imported.sessionId);
}

async function register(
  api: ApiClient,
  participants: readonly Participant[],
  cleanUp: (() => unknown)[],
): Promise<void> {
  for (const participant of participants) {
    const { wish, receiver } = participant;
    await receiver.switchOn();
    cleanUp.push(() => receiver.switchOff());
    const { webhookId, webhookSecret } = await api.createWebhook({
      webhookUrl: receiver.url,
      webhookMethod: wish.method,
      feedIds: wish.feedIds,
      filters: wish.filters,
    });
    participant.webhookId = webhookId;
    receiver.useSecret(webhookSecret);
  }
}

function schemesText(participants: readonly Participant[]): string {
  const secure = participants.filter(({ receiver }) => receiver.scheme === 'https').map(({ number }) => number);
  return secure.length === participants.length
    ? 'all of them speak https, with a certificate made on the spot'
    : `receiver ${secure.join(', ')} speaks https, with a certificate made on the spot; the others speak http`;
}

async function prepare(api: ApiClient, sessionId: string, screen: Screen, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  let { status, progress } = await api.prepare(sessionId);
  while (status === 'preparing') {
    screen.progress(`preparing the replay: ${Math.floor(progress * 100)} %`);
    await delay(POLL_MS, undefined, { signal });
    ({ status, progress } = await api.preparation(sessionId));
  }
  if (status !== 'ready') throw new Error(`the replay of ${sessionId} could not be prepared: ${status}`);
  screen.say(`replay prepared in ${seconds(performance.now() - startedMs)}`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
