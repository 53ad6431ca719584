// The service's database and settings for the time of one command, whether the service runs or not.

import { systemClock } from '#engine/base/clock.ts';
import { COMMAND_DATABASE_CONNECTIONS_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { type Database, openDatabase } from '#engine/storage/database.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type Config, readConfig } from '#workers/config.ts';
import { makeDataDir } from '#workers/data-dir.ts';
import type { Terminal } from './command.ts';
import { interrupted, interruptibly } from './interruption.ts';

export interface ServiceParts {
  readonly config: Config;
  readonly database: Database;
  readonly sql: Sql;
  readonly log: Log;
  /** Aborted with an Interrupted when somebody ends the command. */
  readonly signal: AbortSignal;
}

/** Runs `use` with the database open and closes it afterwards, also when the command is interrupted. */
export async function withService<Result>(
  terminal: Terminal,
  use: (parts: ServiceParts) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(terminal.env);
  await makeDataDir(config.dataDir);
  const log = commandLog(terminal);
  const { databaseUrl, dataDir } = config;
  const database = await openDatabase({
    databaseUrl,
    dataDir,
    role: 'command',
    log,
    clock: systemClock,
    randomBytes: systemRandomBytes,
  });
  return interruptibly(async (signal) => {
    try {
      // A command that does not listen to the signal is left where it stands.
      return await Promise.race([
        use({ config, database, sql: database.connect(COMMAND_DATABASE_CONNECTIONS_MAX), log, signal }),
        interrupted(signal),
      ]);
    } finally {
      await database.close();
    }
  });
}

/** Beside a command's own words only what goes wrong is of interest, in a form for people. */
export function commandLog(terminal: Terminal): Log {
  const tell = (details: object, message: string): void => {
    const named = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
    terminal.say(named.length === 0 ? message : `${message} (${named.join(', ')})`);
  };
  return { info() {}, warn: tell, error: tell };
}
