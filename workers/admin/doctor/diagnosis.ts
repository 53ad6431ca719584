// All checks of the doctor, on the parts that its caller has reached.

import { systemClock } from '#engine/base/clock.ts';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { appliedMigrations } from '#engine/storage/migrations.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { checkClock, checkClockOfDatabase } from './clock-check.ts';
import { checkCluster } from './cluster-check.ts';
import { checkDataDir } from './data-dir-check.ts';
import { checkDatabase } from './database-check.ts';
import { type Check, type Finding, type Found, ok, runCheck, unknown } from './finding.ts';
import { checkFileLimit, checkMemory } from './machine-check.ts';
import { checkLiveTiming, checkMail, checkNetwork, checkPayments } from './network-check.ts';
import { checkOverage } from './overage-check.ts';
import { ownSecretBox } from './own-secret-box.ts';
import { checkPorts } from './ports-check.ts';
import { checkRecordings } from './recordings-check.ts';
import { checkRuntime } from './runtime-check.ts';
import { checkSecretKey } from './secret-key-check.ts';
import { checkServers } from './servers-check.ts';
import { checkSettings, type ReadSettings } from './settings-check.ts';

/** What the database checks start from: an open database, none yet, or the reason why it cannot be reached. */
export type Reached =
  | { readonly kind: 'open'; readonly sql: Sql; readonly close: () => Promise<void> }
  | { readonly kind: 'none' }
  | { readonly kind: 'failed'; readonly found: Found };

export interface DiagnosisParts {
  readonly settings: ReadSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The service that runs on DATA_DIR; null if none does. */
  readonly servicePid: number | null;
  /** Closed at the end. */
  readonly reaching: Promise<Reached>;
}

/** Changes nothing. Every check has a time limit. */
export async function diagnose({ settings, env, servicePid, reaching }: DiagnosisParts): Promise<Finding[]> {
  const { config } = settings;
  const builtIn = config.databaseUrl === null;
  const withDatabase = (use: (sql: Sql) => Promise<readonly Found[]>, none: Found) => async () => {
    const reached = await reaching;
    if (reached.kind === 'open') return use(reached.sql);
    return reached.kind === 'none' ? [none] : [reached.found];
  };
  const connection = builtIn ? null : parseDatabaseUrl(config.databaseUrl);
  const later = unknown('cannot be checked without the database', 'See the finding about the database.');
  const checks: readonly Check[] = [
    { name: 'settings', run: async () => checkSettings(settings) },
    { name: 'runtime', run: () => checkRuntime(builtIn) },
    { name: 'DATA_DIR', run: () => checkDataDir(config.dataDir) },
    {
      name: 'database',
      run: withDatabase(
        (sql) => checkDatabase(sql, config.shards, servicePid !== null, connection?.group !== undefined),
        ok('the first start creates it'),
      ),
    },
    ...(connection?.group === undefined
      ? []
      : [{ name: 'servers', run: withDatabase((sql) => checkServers(sql, connection), later) }]),
    {
      name: 'recordings',
      run: async () => {
        const reached = await reaching;
        return reached.kind === 'open' ? checkRecordings(reached.sql) : [];
      },
    },
    {
      name: 'cluster',
      run: async () => {
        const reached = await reaching;
        if (reached.kind !== 'open') return [];
        return checkCluster(reached.sql, await ownSecretBox(config), connection?.group !== undefined);
      },
    },
    {
      name: 'key',
      run: async () => {
        const reached = await reaching;
        return reached.kind === 'failed'
          ? [later]
          : checkSecretKey(config, reached.kind === 'open' ? reached.sql : null);
      },
    },
    {
      name: 'clock',
      run: async () => {
        const [own, reached] = await Promise.all([checkClock(), reaching]);
        return reached.kind === 'open' ? [...own, await checkClockOfDatabase(reached.sql)] : own;
      },
    },
    { name: 'ports', run: () => checkPorts(config, servicePid) },
    { name: 'files', run: async () => checkFileLimit(config.shards, await endpointsOf(await reaching)) },
    { name: 'memory', run: () => checkMemory(config.shards, builtIn) },
    { name: 'network', run: () => checkNetwork(env) },
    { name: 'live timing', run: () => checkLiveTiming(config) },
    { name: 'mail', run: () => checkMail(config) },
    { name: 'payments', run: () => checkPayments(config) },
    {
      name: 'overage',
      run: withDatabase((sql) => checkOverage(sql, config, systemClock.wallMs()), ok('nothing was billed yet')),
    },
  ];
  try {
    return (await Promise.all(checks.map((check) => runCheck(check)))).flat();
  } finally {
    const reached = await reaching;
    if (reached.kind === 'open') await reached.close();
  }
}

async function endpointsOf(reached: Reached): Promise<number> {
  if (reached.kind !== 'open' || (await appliedMigrations(reached.sql)).length === 0) return 0;
  const [row] = await reached.sql<{ count: number }[]>`
    select count(*)::int as count from webhook where active and deleted_at is null`;
  return row!.count;
}
