// The accounts and sessions of the abuse bench: one honest customer, and those who do what abusers do.

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Plan } from '#api/plans/plan.ts';
import { systemClock } from '#engine/base/clock.ts';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import { ApiClient } from '#workers/demo/api-client.ts';
import type { BenchService } from '../engines/bench-service.ts';
import type { AbuseOrder } from './abuser-process.ts';
import { firstLine, steadyLine } from './steady-frames.ts';

export const ABUSES = ['bodies', 'tests', 'creates', 'tokens', 'guesses', 'logins', 'runs'] as const;
export type Abuse = (typeof ABUSES)[number];

export const HONEST_SESSION = '2026-honest-race';
export const HONEST_SPEED = 10;
const POLL_MS = 50;
const RUN_END_MS_MAX = 60_000;
const SLOWEST = 0.1;
/** As many as a Free account may replay. */
const PINNED_SESSIONS = 5;
const LOGIN_ADDRESSES = 50;

export interface Sizes {
  /** Updates a second that the honest endpoints get, and how long the session is that they are from. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly bodies: number;
  readonly tests: number;
  readonly creates: number;
  /** Connections of the floods of token requests, guessed tokens and sign-ins. */
  readonly floods: number;
  /** Free accounts that hold runs open, and the updates of each of their sessions. */
  readonly holders: number;
  readonly pinnedUpdates: number;
}

/** A flood, without the server that it goes to and the schedule. */
export type Flood = Omit<AbuseOrder, 'port' | 'scheduleMs'>;
/** A flood, with the number of addresses that it comes from. */
type FloodPlan = Omit<Flood, 'addresses'> & { readonly addresses: number };

export class AbuseScene {
  readonly #service: BenchService;
  readonly #sizes: Sizes;
  /** Accepts connections and never responds. */
  readonly #silent: Server;
  /** Its connections. */
  readonly #waiting = new Set<Socket>();
  readonly #holders: ApiClient[] = [];
  readonly #floods = new Map<Abuse, FloodPlan>();

  private constructor(service: BenchService, sizes: Sizes, silent: Server) {
    this.#service = service;
    this.#sizes = sizes;
    this.#silent = silent;
  }

  static async prepare(
    service: BenchService,
    sizes: Sizes,
    abuses: readonly Abuse[],
    progress: (line: string) => void,
  ): Promise<AbuseScene> {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const scene = new AbuseScene(service, sizes, silent.unref());
    silent.on('connection', (socket) => {
      scene.#waiting.add(socket);
      socket.on('error', () => {}).on('close', () => scene.#waiting.delete(socket));
      socket.resume();
    });
    progress('importing the sessions');
    const everyMs = (1_000 * HONEST_SPEED) / sizes.perSecond;
    // The session outlasts the measurement; the rest of the run is stopped.
    await scene.#session(HONEST_SESSION, Math.ceil(sizes.seconds * sizes.perSecond), everyMs);
    for (const abuse of abuses) scene.#floods.set(abuse, await scene.#prepare(abuse));
    return scene;
  }

  /** From addresses that sent nothing before, so that no limit of an address is used up by the slice before. */
  floodOf(abuse: Abuse, slice: number): Flood {
    const { addresses, ...flood } = this.#floods.get(abuse)!;
    const net = `127.${1 + ABUSES.indexOf(abuse)}.${slice}`;
    return { ...flood, addresses: Array.from({ length: addresses }, (_, index) => `${net}.${index + 1}`) };
  }

  /** Opens as many runs at the slowest speed as the service lets the holders have. Returns how to end them. */
  async holdRuns(): Promise<{ readonly held: number; readonly release: () => Promise<void> }> {
    const held: { readonly api: ApiClient; readonly runId: string }[] = [];
    for (const [index, api] of this.#holders.entries()) {
      // A refusal is what protects the others.
      const run = await api.startRun(pinned(index % PINNED_SESSIONS), SLOWEST).catch(() => null);
      if (run !== null) held.push({ api, runId: run.runId });
    }
    const release = async () => {
      for (const { api, runId } of held) await api.stopRun(runId);
      // What waits for a response would keep the run, and with it the holder's place, until its deadline.
      for (const socket of this.#waiting) socket.destroy();
      for (const { api, runId } of held) await runEnded(api, runId);
    };
    return { held: held.length, release };
  }

  close(): void {
    this.#silent.close();
  }

  async #prepare(abuse: Abuse): Promise<FloodPlan> {
    const { bodies, tests, creates, floods } = this.#sizes;
    const url = `http://localhost:${(this.#silent.address() as AddressInfo).port}/`;
    switch (abuse) {
      case 'bodies': {
        const head =
          'POST /v1/oauth HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{';
        // The service closes the connections of refused ones, which then come again.
        return flood(bodies, [head], 5_000, true);
      }
      case 'tests': {
        const api = await this.#account('tests@example.com', 'custom');
        const { webhookId } = await api.createWebhook({ webhookUrl: url, feedId: 'timing.data' });
        return flood(tests, [message('POST', `/webhooks/${webhookId}/test`, '', api.token)], 3_000);
      }
      case 'creates': {
        const api = await this.#account('creates@example.com', 'custom');
        const body = JSON.stringify({ webhookUrl: url, feedId: 'timing.data' });
        return flood(creates, [message('POST', '/webhooks', body, api.token)], 2_000);
      }
      case 'tokens': {
        const { clientId, clientSecret } = await this.#service.addAccount('tokens@example.com', 'free');
        const requests = [clientSecret, 'wrong'].map((secret) => {
          const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
          return message('POST', '/oauth', JSON.stringify(grant));
        });
        return flood(floods, requests, 20);
      }
      case 'guesses': {
        const guess = () => message('GET', '/feeds', '', randomBytes(32).toString('base64url'));
        return flood(floods, Array.from({ length: 5_000 }, guess), 20);
      }
      case 'logins': {
        const password = 'a password of someone';
        const requests = Array.from({ length: 500 }, (_, index) => {
          const email = `visitor-${index}@example.com`;
          const terms = { tosAccepted: true, privacyAccepted: true, aupAccepted: true };
          if (index % 2 === 0) return message('POST', '/auth/login', JSON.stringify({ email, password }));
          return message('POST', '/auth/signup', JSON.stringify({ email, password, ...terms }));
        });
        return { ...flood(floods, requests, 20), addresses: LOGIN_ADDRESSES };
      }
      case 'runs':
        return this.#prepareRuns(url);
    }
  }

  async #prepareRuns(url: string): Promise<FloodPlan> {
    const { holders, pinnedUpdates } = this.#sizes;
    const sessions = Math.min(PINNED_SESSIONS, holders);
    // The first one comes with the service.
    for (let session = 1; session < sessions; session++) await this.#session(pinned(session), pinnedUpdates, 100);
    await this.#ready(DEMO_SESSION_ID);
    const requests: string[] = [];
    for (let holder = 0; holder < holders; holder++) {
      const api = await this.#account(`holder-${holder}@example.com`, 'free');
      await api.createWebhook({ webhookUrl: url, feedIds: ['*'] });
      this.#holders.push(api);
      const session = pinned((holder + 1) % sessions);
      const prepare = JSON.stringify({ sessionId: session });
      requests.push(message('POST', '/simulate/prepare', prepare, api.token));
      const stream = `/simulate/stream?session=${session}&speed=${SLOWEST}&sinks=webhook`;
      requests.push(message('GET', stream, '', api.token));
    }
    // 600 requests an hour are the share of a Free account.
    return flood(holders, requests, 1_000);
  }

  async #account(email: string, plan: Plan): Promise<ApiClient> {
    const api = new ApiClient(this.#service.process.address, this.#service.signal);
    await api.signIn(await this.#service.addAccount(email, plan));
    return api;
  }

  async #session(sessionId: string, updates: number, everyMs: number): Promise<void> {
    const { process, signal } = this.#service;
    const path = join(process.dataDir, `${sessionId}.ndjson`);
    const lines = [firstLine()];
    for (let number = 0; number < updates; number++) lines.push(steadyLine(number, everyMs));
    writeFileSync(path, lines.join(''));
    await process.admin(['import', 'recording', path, '--session', sessionId], signal);
    await this.#ready(sessionId);
  }

  /** Waits until the session is prepared. */
  async #ready(sessionId: string): Promise<void> {
    const { signal } = this.#service;
    const api = await this.#service.openApi();
    let { status } = await api.prepare(sessionId);
    while (status === 'preparing') {
      await pause(POLL_MS, undefined, { signal });
      ({ status } = await api.preparation(sessionId));
    }
    if (status !== 'ready') throw new Error(`${sessionId} could not be prepared: ${status}`);
  }
}

/** Waits until a run that was stopped has ended: an account has one replay at a time. */
export async function runEnded(api: ApiClient, runId: string): Promise<void> {
  const untilMs = systemClock.nowMs() + RUN_END_MS_MAX;
  while (systemClock.nowMs() < untilMs) {
    const { state } = await api.run(runId);
    if (state === 'completed' || state === 'stopped') return;
    await systemClock.sleep(POLL_MS);
  }
  throw new Error(`the run ${runId} has not ended within ${RUN_END_MS_MAX / 1_000} s`);
}

function pinned(session: number): string {
  return session === 0 ? DEMO_SESSION_ID : `2026-pinned-${session}-race`;
}

function flood(connections: number, requests: readonly string[], pauseMs: number, slow = false): FloodPlan {
  return { addresses: 1, connections, requests, slow, pauseMs };
}

function message(method: string, path: string, body: string, token?: string): string {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${method} /v1${path} HTTP/1.1\r\nHost: x\r\n${authorization}${content}\r\n${body}`;
}
