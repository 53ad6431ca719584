// A cluster of real services on one real PostgreSQL, each with a DATA_DIR of its own.

import { createAccount } from '#api/accounts/account-creation.ts';
import type { Plan } from '#api/plans/plan.ts';
import { systemClock } from '#engine/base/clock.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import type { Database } from '#engine/storage/database.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { openTestDatabase, temporaryDataDir } from './database.ts';
import { freePorts } from './free-ports.ts';
import { issuedIn } from './output-folder.ts';
import { ApiClient, type ServiceProcess, startService } from './service-process.ts';

export interface ClusterProcesses {
  readonly nodes: readonly ServiceProcess[];
  /** The settings of the first node, for commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly dataDirs: readonly string[];
  /** Where the other nodes reach each one. */
  readonly addresses: readonly string[];
  readonly database: Database;
  /** Starts another node, or one again that has ended. */
  start(node: number): Promise<ServiceProcess>;
  /** An account, and a client of it at this node. */
  account(email: string, node: number, plan?: Plan): Promise<{ accountId: string; api: ApiClient }>;
}

interface Scope {
  after(end: () => unknown): void;
}

const SECRET_KEY = 'a secret of all nodes of a cluster';

/** Starts so many nodes; `prepare` may import sessions before, at the first node. */
export async function startCluster(
  scope: Scope,
  count: number,
  prepare: (dataDir: string, env: Readonly<Record<string, string>>) => Promise<void> = async () => {},
): Promise<ClusterProcesses> {
  const databaseDir = temporaryDataDir('database');
  const database = await openTestDatabase(databaseDir);
  const { host, port, user, database: name } = database.connection;
  const dataDirs = Array.from({ length: count }, () => temporaryDataDir());
  const addresses = (await freePorts(count)).map((port) => `127.0.0.1:${port}`);
  const envOf = (node: number): Record<string, string> => ({
    DATABASE_URL: `postgres://${user}:${database.connection.password ?? ''}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
    SECRET_KEY,
    CLUSTER: 'on',
    CLUSTER_ADDRESS: addresses[node]!,
    SHARDS: '1',
    ADMIN_PORT: '0',
    LIVE_TO_LOCALHOST: 'on',
  });
  const sql = database.connect(1);
  const secretBox = new SecretBox(SECRET_KEY, systemRandomBytes);
  const nodes: ServiceProcess[] = [];
  scope.after(async () => {
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    await database.close();
  });
  await prepare(dataDirs[0]!, envOf(0));
  const start = async (node: number): Promise<ServiceProcess> => {
    nodes[node] = await startService(dataDirs[node]!, envOf(node));
    return nodes[node]!;
  };
  for (let node = 0; node < count; node++) await start(node);
  return {
    nodes,
    env: envOf(0),
    dataDirs,
    addresses,
    database,
    start,
    async account(email, node, plan = 'custom') {
      const account = await createAccount({ email, plan }, { sql, secretBox, clock: systemClock });
      issuedIn(account);
      return { accountId: account.accountId, api: await ApiClient.open(nodes[node]!.address, { ...account }) };
    },
  };
}
