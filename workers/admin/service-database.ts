// The settings and the database of the service for the time of one command. The service may be running or not.

import { systemClock } from '#engine/base/clock.ts';
import { COMMAND_DATABASE_CONNECTIONS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type Database, openDatabase } from '#engine/storage/database.ts';
import { hasBuiltInDatabase } from '#engine/storage/embedded/server-folder.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type Config, ConfigError, readConfig } from '#workers/config.ts';
import { makeDataDir } from '#workers/data-dir.ts';
import type { Terminal } from './command.ts';
import { interrupted, interruptibly } from './interruption.ts';

export interface ServiceParts {
  readonly config: Config;
  readonly database: Database;
  readonly sql: Sql;
  readonly log: Log;
  /** Aborted with an Interrupted on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}

/**
 * Runs `use` with the database open and closes it afterwards, also when the command is interrupted. `made`: if there is no
 * database, one is made, for a command with which a service may begin. Others are refused then (`used`): where there is none, the
 * setting is wrong.
 */
export async function withService<Result>(
  terminal: Terminal,
  which: 'used' | 'made',
  use: (parts: ServiceParts) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(terminal.env);
  if (which === 'used') await requireDatabase(config);
  // With DATABASE_URL, most commands need no folder: at a mistyped DATA_DIR they work, and make none.
  if (which === 'made' || config.databaseUrl === null) await makeDataDir(config.dataDir);
  const log = commandLog(terminal);
  const { databaseUrl, dataDir } = config;
  const database = await openDatabase({
    databaseUrl,
    dataDir,
    role: 'command',
    mustBeUsed: which === 'used',
    log,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  return interruptibly(async (signal) => {
    try {
      // An interruption does not wait for a command that ignores the signal.
      return await Promise.race([
        use({ config, database, sql: database.connect(COMMAND_DATABASE_CONNECTIONS_MAX), log, signal }),
        interrupted(signal),
      ]);
    } finally {
      await database.close();
    }
  });
}

/** Throws a ConfigError when DATA_DIR is to have the database and has none. */
export async function requireDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (databaseUrl !== null || (await hasBuiltInDatabase(dataDir))) return;
  throw new ConfigError([
    `DATA_DIR: there is no database in ${dataDir}: correct the setting, or start the service first. Nothing was changed.`,
  ]);
}

/** A log that shows only warnings and errors, as plain text. */
export function commandLog(terminal: Terminal): Log {
  const show = (details: object, message: string): void => {
    const named = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
    terminal.say(named.length === 0 ? message : `${message} (${named.join(', ')})`);
  };
  return { info() {}, warn: show, error: show };
}
