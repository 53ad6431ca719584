// The doctor inside of the service: it asks the database over a connection of its own, and starts no server.

import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '#engine/base/clock.ts';
import { COMMAND_DATABASE_CONNECTIONS_MAX, DATABASE_QUICK_END_S, DOCTOR_CHECK_MS } from '#engine/base/limits.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { checkConnection, connect } from '#engine/storage/postgres-client.ts';
import { errorText } from '#engine/storage/storage-error.ts';
import { diagnose, type Reached } from './diagnosis.ts';
import { type Finding, problem } from './finding.ts';
import { readSettings } from './settings-check.ts';

/** `env`: the environment with the settings of the service. */
export function diagnoseRunning(
  connection: ConnectionSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  return diagnose({ settings: readSettings(env), env, servicePid: process.pid, reaching: reach(connection) });
}

async function reach(connection: ConnectionSettings): Promise<Reached> {
  const sql = connect(connection, {
    max: COMMAND_DATABASE_CONNECTIONS_MAX,
    name: 'slipstream-doctor',
    clock: systemClock,
  });
  const close = (): Promise<void> => sql.end({ timeout: DATABASE_QUICK_END_S });
  const late = pause(DOCTOR_CHECK_MS, 'no answer in time', { ref: false });
  const failure = await Promise.race([checkConnection(sql, connection, systemClock).then(() => null, errorText), late]);
  if (failure === null) return { kind: 'open', sql, close };
  void close();
  return { kind: 'failed', found: problem(`the database: ${failure}`, 'See its log.') };
}
