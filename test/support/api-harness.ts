// The real API over a real database and real HTTP. The test plays the delivery engine and the playback library, which
// lie behind interfaces.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '#api/accounts/account-creation.ts';
import { type App, createApp } from '#api/app.ts';
import type { AppParts } from '#api/app-parts.ts';
import type { Listening } from '#api/http/uws-server.ts';
import { type Mail, MailError, type Mailer } from '#api/mail/mailer.ts';
import type { Plan } from '#api/plans/plan.ts';
import type { LiveDeliveriesParts } from '#api/webhooks/live/live-deliveries.ts';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { DeliveryControl, RunListener } from '#engine/delivery/cluster/delivery-control.ts';
import type { TestOrder, TestOutcome } from '#engine/delivery/endpoint/test-delivery.ts';
import type { EndpointCoverage, EndpointSettings } from '#engine/delivery/endpoint-settings.ts';
import type { RunOrder } from '#engine/delivery/run-order.ts';
import { ArtifactsFull } from '#engine/intake/playback/open-artifacts.ts';
import type { OpenArtifact, PlaybackLibrary, Preparation } from '#engine/intake/playback/playback-library.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { SharedArtifact, SharedTimeline } from '#engine/timeline/shared-timeline.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { watchLiveTimeline } from '#workers/watch-live-timeline.ts';
import { silentLog, withDatabase } from './database.ts';
import { issuedIn } from './output-folder.ts';
import { NO_DELIVERIES } from './stream-stage.ts';
import { sharedArtifact } from './timelines.ts';

export const SEASON = 2026;

/** Records all calls. The test decides when runs begin and end. */
export class RecordedControl implements DeliveryControl {
  readonly started: {
    run: RunOrder;
    timeline: SharedTimeline;
    endpoints: readonly EndpointSettings[];
    resumed: boolean;
  }[] = [];
  readonly joined: { runId: string; endpoints: readonly EndpointSettings[] }[] = [];
  readonly stopped: string[] = [];
  readonly parked: string[] = [];
  readonly changed: EndpointSettings[] = [];
  readonly covered: EndpointCoverage[] = [];
  /** Whether a run of every account is under way. */
  isDelivering = true;
  readonly deleted: string[] = [];
  /** What test deliveries wait for. */
  testsEnd: Promise<void> = Promise.resolve();
  readonly tests: { settings: EndpointSettings; feedId: string; body: unknown; allowance: SharedArrayBuffer }[] = [];
  outcome: TestOutcome = {
    kind: 'attempted',
    result: { kind: 'answered', statusCode: 204, body: '' },
    latencyMs: 12.345,
  };
  /** Whether a stop settles the run at once. */
  settlesOnStop = true;
  readonly #listeners = new Map<string, RunListener>();
  /** Reports a run to its own listener. */
  readonly listener: RunListener = {
    firstAttempt: (runId) => this.#listeners.get(runId)?.firstAttempt(runId),
    settled: (runId) => this.#listeners.get(runId)?.settled(runId),
    parked: (runId) => this.#listeners.get(runId)?.parked?.(runId),
  };

  startRun(
    run: RunOrder,
    timeline: SharedTimeline,
    endpoints: readonly EndpointSettings[],
    resumed: boolean,
    listener: RunListener,
  ): void {
    this.started.push({ run, timeline, endpoints, resumed });
    this.#listeners.set(run.runId, listener);
  }

  joinRun(runId: string, endpoints: readonly EndpointSettings[]): void {
    this.joined.push({ runId, endpoints });
  }

  stopRun(runId: string): void {
    this.stopped.push(runId);
    if (this.settlesOnStop) setImmediate(() => this.listener.settled(runId));
  }

  /** Whether a run is parked at once when that is asked for. */
  parksAtOnce = true;

  parkRun(runId: string): void {
    this.parked.push(runId);
    if (this.parksAtOnce) setImmediate(() => this.listener.parked!(runId));
  }

  endpointsChanged(settings: readonly EndpointSettings[]): void {
    this.changed.push(...settings);
  }

  coverageChanged(coverage: readonly EndpointCoverage[]): void {
    this.covered.push(...coverage);
  }

  delivers(): boolean {
    return this.isDelivering;
  }

  endpointDeleted(webhookId: string): void {
    this.deleted.push(webhookId);
  }

  async test({ settings, feedId, body, allowance }: Omit<TestOrder, 'testId'>): Promise<TestOutcome> {
    this.tests.push({ settings, feedId, body: JSON.parse(Buffer.from(body).toString()), allowance });
    await this.testsEnd;
    return this.outcome;
  }

  async drain(): Promise<void> {}
}

/** Holds the artifacts that the test puts in. Preparing takes until the test ends it. */
export class ShelfLibrary implements PlaybackLibrary {
  readonly shelf = new Map<string, Timeline>();
  /** Artifacts that were opened and not released. */
  inUse = 0;
  full = false;
  /** What the next opening by origin rejects with, once. */
  nextFailure: Error | null = null;
  readonly states = new Map<string, Preparation>();
  /** Timelines that a session had, by origin. */
  readonly older = new Map<string, Timeline>();
  sweeps = 0;
  readonly #artifacts = new Map<Timeline, Promise<SharedArtifact>>();

  async status(sessionId: string): Promise<Preparation> {
    const timeline = this.shelf.get(sessionId);
    if (timeline !== undefined) return { status: 'ready', updateCount: timeline.length };
    return this.states.get(sessionId) ?? { status: 'none' };
  }

  statuses(sessionIds: readonly string[]): Promise<Preparation[]> {
    return Promise.all(sessionIds.map((sessionId) => this.status(sessionId)));
  }

  async prepare(sessionId: string): Promise<Preparation> {
    if (!this.shelf.has(sessionId)) this.states.set(sessionId, { status: 'preparing', progress: 0.25 });
    return this.status(sessionId);
  }

  async open(sessionId: string): Promise<OpenArtifact | null> {
    const timeline = this.shelf.get(sessionId);
    if (this.full) throw new ArtifactsFull('the test wants it');
    return timeline === undefined ? null : this.#opened(timeline);
  }

  async openOrigin(sessionId: string, origin: string): Promise<OpenArtifact | null> {
    if (this.full) throw new ArtifactsFull('the test wants it');
    const failure = this.nextFailure;
    this.nextFailure = null;
    if (failure !== null) throw failure;
    const timeline = this.older.get(origin) ?? this.shelf.get(sessionId);
    return timeline === undefined || originOf(timeline) !== origin ? null : this.#opened(timeline);
  }

  async sweep(): Promise<void> {
    this.sweeps++;
  }

  async #opened(timeline: Timeline): Promise<OpenArtifact> {
    let used = true;
    this.inUse++;
    const release = (): void => {
      if (used) this.inUse--;
      used = false;
    };
    let artifact = this.#artifacts.get(timeline);
    if (artifact === undefined) {
      artifact = sharedArtifact(timeline);
      this.#artifacts.set(timeline, artifact);
    }
    return { artifact: await artifact, timeline, origin: originOf(timeline), release };
  }
}

/** The origin of a timeline on the shelf: each has its own. */
export function originOf(timeline: Timeline): string {
  let origin = origins.get(timeline);
  if (origin === undefined) {
    origin = `${origins.size + 1}-00000000-1`;
    origins.set(timeline, origin);
  }
  return origin;
}

const origins = new Map<Timeline, string>();

/** No live session has left a journal. */
export const NO_JOURNALS: LiveDeliveriesParts['journals'] = { open: () => null, remove() {}, sweep() {} };

/** Keeps mails, or fails while the test wants it to. */
export class RecordedMailer implements Mailer {
  readonly sent: Mail[] = [];
  failing = false;

  async send(mail: Mail): Promise<void> {
    if (this.failing) throw new MailError('the test wants it');
    this.sent.push(mail);
  }
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check responses whose type is not certain
  readonly body: any;
}

export interface Client {
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Creates an endpoint of this account and returns its id. */
  webhook(body?: Record<string, unknown>): Promise<string>;
}

export interface Harness {
  readonly sql: Sql;
  readonly app: App;
  readonly address: string;
  readonly port: number;
  readonly control: RecordedControl;
  readonly library: ShelfLibrary;
  readonly secretBox: SecretBox;
  /** Unused when the test passes its own mailer. */
  readonly mailer: RecordedMailer;
  /** Host names and their addresses. Other names do not resolve. */
  readonly names: Map<string, readonly string[]>;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Creates an account with this plan and signs it in. */
  client(plan: Plan): Promise<Client>;
  session(sessionId: string, options?: { season?: number; demo?: boolean; timeline?: Timeline }): Promise<void>;
  /** A second process on the same database, after a restart. */
  restarted(): Promise<{ app: App; control: RecordedControl; listening: Listening }>;
}

const UNTIL_MS_MAX = 60_000;

export interface Scope {
  after(end: () => unknown): void;
}

/** Starts the API. `options.sql` shares an existing database. */
export async function withApi(scope: Scope, options: Partial<AppParts> = {}): Promise<Harness> {
  const sql = options.sql ?? (await withDatabase(scope)).sql;
  const control = new RecordedControl();
  const library = new ShelfLibrary();
  const secretBox = new SecretBox('a secret key for tests', systemRandomBytes);
  const mailer = new RecordedMailer();
  const names = new Map<string, readonly string[]>([['hooks.example.com', ['93.184.216.34', '2606:2800:220:1::1']]]);
  const resolve = async (host: string) => {
    const addresses = names.get(host);
    if (addresses === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    return addresses;
  };
  const siteUrl = () => 'https://site.example.com';
  const given = {
    library,
    journals: NO_JOURNALS,
    secretBox,
    mailer,
    siteUrl,
    clock: systemClock,
    log: silentLog,
    season: () => SEASON,
    resolve,
    servesLocalhost: true,
    watch: watchLiveTimeline,
    deliveries: NO_DELIVERIES,
  };
  const parts = { ...given, ...options, sql };
  const app = createApp({ ...parts, control });
  if (options.sql === undefined) await app.start();
  const listening = await app.listen('127.0.0.1', 0);
  scope.after(() => listening.close());
  const address = `http://127.0.0.1:${listening.port}`;

  const call: Harness['call'] = async (method, path, body, headers = {}) => {
    const json = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${address}${path}`, {
      method,
      headers: json === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(json === undefined ? {} : { body: json }),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    issuedIn(answer.body);
    return answer;
  };

  return {
    sql,
    app,
    address,
    port: listening.port,
    control,
    library,
    secretBox,
    mailer,
    names,
    call,

    async client(plan) {
      const email = `${randomUUID()}@example.com`;
      const credentials = await createAccount({ email, plan }, { sql, secretBox, clock: systemClock });
      const { clientId, clientSecret } = credentials;
      issuedIn(credentials);
      const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const token: string = (await call('POST', '/v1/oauth', grant)).body.access_token;
      const client: Client = {
        ...credentials,
        token,
        call: (method, path, body, headers) =>
          call(method, path, body, { authorization: `Bearer ${token}`, ...headers }),
        async webhook(body = {}) {
          const created = await client.call('POST', '/v1/webhooks', {
            webhookUrl: 'https://hooks.example.com/in',
            feedId: 'session.status',
            ...body,
          });
          if (created.status !== 201) throw new Error(`no webhook: ${JSON.stringify(created.body)}`);
          return created.body.data.webhookId;
        },
      };
      return client;
    },

    async session(sessionId, { season = SEASON, demo = false, timeline } = {}) {
      await sql`
        insert into session (session_id, series_id, name, type, circuit_name, season, start_at, duration_ms, frame_count,
          update_count, feeds, demo)
        values (${sessionId}, 'f1', ${`Name of ${sessionId}`}, 'Race', 'Street', ${season},
          ${new Date(Date.UTC(season, 3, 1))}, ${5_400_000n}, 100, ${timeline?.length ?? 50}, '{}', ${demo})`;
      if (timeline !== undefined) library.shelf.set(sessionId, timeline);
    },

    async restarted() {
      const again = new RecordedControl();
      const second = createApp({ ...parts, control: again });
      const secondListening = await second.listen('127.0.0.1', 0);
      scope.after(() => secondListening.close());
      return { app: second, control: again, listening: secondListening };
    },
  };
}

/** Waits until a condition holds. Fails after a minute, so that a broken test names itself instead of hanging. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + UNTIL_MS_MAX;
  while (!(await holds())) {
    assert.ok(performance.now() < endMs, 'the condition did not hold within a minute');
    await pause(5);
  }
}
