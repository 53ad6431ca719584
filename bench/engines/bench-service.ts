// Starts the real service in its own process, with one account. Endpoints are inserted straight into its database, so
// ten thousand of them take a second. Its temporary folder is removed at the end.

import { randomBytes } from 'node:crypto';
import { type AccountCredentials, createAccount } from '#api/accounts/account-creation.ts';
import { postgresSignInStore } from '#api/accounts/postgres-sign-in-store.ts';
import { SIGN_IN_LIFETIME_MS } from '#api/accounts/sign-ins.ts';
import { sessionCookieName } from '#api/http/cookie.ts';
import type { Plan } from '#api/plans/plan.ts';
import { newSecretToken } from '#api/tokens/secret-token.ts';
import { systemClock } from '#engine/base/clock.ts';
import { newId } from '#engine/base/ids.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { Database } from '#engine/storage/database.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { FeedId } from '#schemas/webhook/feeds.ts';
import { ApiClient } from '#workers/demo/api-client.ts';
import { removeDataFolder } from '#workers/demo/data-folder.ts';
import { ServiceProcess } from '#workers/demo/service-process.ts';
import { loggedCount } from '../suite/logged-attempts.ts';
import { makeServiceFolder } from './prepared-folder.ts';
import { openSecretBox, openServiceDatabase } from './service-database.ts';

/** A running service and a connection to its database. */
interface Running {
  readonly service: ServiceProcess;
  readonly database: Database;
  readonly sql: Sql;
}

export class BenchService {
  readonly #broken = new AbortController();
  readonly #folder = makeServiceFolder();
  readonly #settings: Readonly<Record<string, string>>;
  #running: Running | null = null;
  #account: AccountCredentials | null = null;

  private constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = settings;
  }

  /** Starts a service on a new data folder. `settings` are extra environment variables. */
  static async start(settings: Readonly<Record<string, string>>): Promise<BenchService> {
    const bench = new BenchService(settings);
    try {
      await bench.#run();
      return bench;
    } catch (error) {
      await bench.end();
      throw error;
    }
  }

  /** Aborted when the service exits unexpectedly, to stop everything that waits for it. */
  get signal(): AbortSignal {
    return this.#broken.signal;
  }

  get process(): ServiceProcess {
    return this.#now.service;
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Its data folder. */
  get folder(): string {
    return this.#folder;
  }

  /** Valid until the next restart. */
  get sql(): Sql {
    return this.#now.sql;
  }

  get accountId(): string {
    return this.#account!.accountId;
  }

  /** An API client, signed in as the account. */
  async openApi(): Promise<ApiClient> {
    const api = new ApiClient(this.process.address, this.signal);
    await api.signIn(this.#account!);
    return api;
  }

  /** An API client of another account of the same plan. */
  async openOtherAccount(email: string): Promise<ApiClient> {
    const api = new ApiClient(this.process.address, this.signal);
    await api.signIn(await this.addAccount(email, 'custom'));
    return api;
  }

  /** Creates a further account. */
  async addAccount(email: string, plan: Plan): Promise<AccountCredentials> {
    return createAccount({ email, plan }, { sql: this.sql, secretBox: await this.#secretBox(), clock: systemClock });
  }

  /** Signs an account in, as its owner would with the password. Returns the session cookie, `name=value`. */
  async signIn(accountId: string): Promise<string> {
    const { token, tokenHash } = newSecretToken();
    const now = new Date(systemClock.wallMs());
    const expiresAt = new Date(now.getTime() + SIGN_IN_LIFETIME_MS);
    await postgresSignInStore(this.sql).insert(tokenHash, accountId, '127.0.0.1', expiresAt, now);
    return `${sessionCookieName(false)}=${token}`;
  }

  /** Replaces the account's endpoints with `count` new ones at `origin`/<index>. Returns their secrets by index. */
  async useEndpoints(origin: string, count: number, feedId: FeedId): Promise<readonly string[]> {
    const secretBox = await this.#secretBox();
    const secrets = Array.from({ length: count }, () => `whsec_${randomBytes(32).toString('base64')}`);
    const webhookIds = secrets.map(() => newId('wh', systemClock.wallMs(), systemRandomBytes));
    const urls = secrets.map((_, index) => `${origin}/${index}`);
    const sealed = secrets.map((secret) => secretBox.seal(secret).toString('hex'));
    await this.sql`delete from webhook where account_id = ${this.accountId}`;
    await this.sql`
      with made as (
        insert into webhook (webhook_id, account_id, url, method, series_id, feed_patterns, secret_sealed)
        select id, ${this.accountId}, url, 'post', 'f1', ${this.sql.json([feedId])}, decode(sealed, 'hex')
        from unnest(${webhookIds}::text[], ${urls}::text[], ${sealed}::text[]) as given (id, url, sealed)
        returning webhook_id
      )
      insert into subscription (webhook_id, feed_id, place) select webhook_id, ${feedId}, 0 from made`;
    return secrets;
  }

  /** The number of attempts so far: in the delivery log, and as usage counts them. */
  async recorded(): Promise<{ readonly logged: number; readonly used: number }> {
    const [row] = await this.sql<{ logged: number; used: number }[]>`
      select ${loggedCount(this.sql)} as logged,
        (select coalesce(sum(attempts), 0)::int from usage) as used`;
    return row!;
  }

  /** Stops the service and starts it again on the same data folder. */
  async restart(): Promise<void> {
    await this.#stop();
    await this.#run();
  }

  /** Safe to call again. */
  async end(): Promise<void> {
    await this.#stop();
    removeDataFolder(this.#folder);
  }

  get #now(): Running {
    if (this.#running === null) throw new Error('the service is not running');
    return this.#running;
  }

  async #run(): Promise<void> {
    const service = await ServiceProcess.start(this.#folder, this.signal, this.#settings);
    service.unexpectedEnd().catch((error) => this.#broken.abort(error));
    try {
      const database = await openServiceDatabase(this.#folder);
      this.#running = { service, database, sql: database.connect(2) };
      const parts = { sql: this.sql, secretBox: await this.#secretBox(), clock: systemClock };
      this.#account ??= await createAccount({ email: 'bench@example.com', plan: 'custom' }, parts);
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    await running.database.close();
    await running.service.stop();
  }

  #secretBox(): Promise<SecretBox> {
    return openSecretBox(this.#folder);
  }
}
