// A real service whose database is behind a proxy, in the middle of a replay to one receiver. Faults of the database come
// from the proxy; the test looks at the database past it.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { loggedCount } from '#bench/suite/logged-attempts.ts';
import { systemClock } from '#engine/base/clock.ts';
import { connect, type Sql } from '#engine/storage/postgres-client.ts';
import { openTestDatabase, temporaryDataDir } from './database.ts';
import { DatabaseProxy } from './database-proxy.ts';
import { ApiClient, runAdminCommand, type ServiceProcess, startService } from './service-process.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

/** The session that it replays. */
export const SESSION = 'demo-race';

export class ReplayBehindProxy {
  /** Of the database server, and of the service. */
  readonly serverDir = temporaryDataDir('database');
  readonly dataDir = temporaryDataDir();
  /** Connections past the proxy: of the owner of the server, and to the database of the service. */
  admin!: Sql;
  inside!: Sql;
  proxy!: DatabaseProxy;
  service!: ServiceProcess;
  api!: ApiClient;
  receiver!: WebhookReceiver;
  webhookId!: string;
  runId!: string;
  #server: Awaited<ReturnType<typeof openTestDatabase>> | undefined;

  /** Starts everything, the replay last. */
  async begin(): Promise<void> {
    this.#server = await openTestDatabase(this.serverDir);
    const { connection } = this.#server;
    this.admin = this.#server.connect(1);
    await this.admin`create role svc login`;
    await this.admin`create database svc owner svc`;
    this.inside = connect({ ...connection, database: 'svc' }, { max: 1, name: 'looking on', clock: systemClock });
    this.proxy = await DatabaseProxy.start(connection);
    await this.startService();
    const create = ['account', 'create', '--email', 'a@example.org', '--plan', 'custom'];
    this.api = await ApiClient.open(this.service.address, await runAdminCommand(this.dataDir, create, this.#env));
    this.receiver = await startWebhookReceiver();
    const webhook = await this.api.call('POST', '/webhooks', { webhookUrl: this.receiver.url, feedIds: ['*'] });
    this.webhookId = webhook.body.data.webhookId;
    await this.api.call('POST', '/simulate/prepare', { sessionId: SESSION });
    await this.api.until(`/simulate/status?session=${SESSION}`, ({ data }) => data.status === 'ready');
    const started = await this.api.call('GET', `/simulate/stream?session=${SESSION}&speed=10&sinks=webhook`);
    assert.equal(started.status, 202, JSON.stringify(started.body));
    this.runId = started.body.data.runId;
  }

  /** Starts the service, also again after it was ended. */
  async startService(): Promise<void> {
    this.service = await startService(this.dataDir, this.#env);
    this.api = this.api?.at(this.service.address);
  }

  /** Waits until this many more deliveries have arrived. */
  async received(further: number): Promise<void> {
    const until = this.receiver.received.length + further;
    while (this.receiver.received.length < until) await pause(20);
  }

  /** Attempts in the delivery log and in usage. */
  async recorded(): Promise<{ logged: number; used: number }> {
    const [row] = await this.inside<{ logged: number; used: number }[]>`
      select ${loggedCount(this.inside)} as logged,
        (select coalesce(sum(attempts), 0)::int from usage) as used`;
    return row!;
  }

  /** Ends what has begun. */
  async end(): Promise<void> {
    await this.service?.end('SIGTERM');
    await this.receiver?.close();
    await this.proxy?.close();
    await this.inside?.end({ timeout: 1 });
    await this.#server?.close();
  }

  get #env(): Record<string, string> {
    return { DATABASE_URL: this.proxy.urlFor('svc', 'svc'), SHARDS: '1' };
  }
}
