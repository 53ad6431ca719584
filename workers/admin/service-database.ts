// The service's database and settings for the time of one command, whether the service runs or not.

import { mkdir } from 'node:fs/promises';
import type { Log } from '#engine/log.ts';
import { type Database, openDatabase } from '#engine/storage/database.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import { type Config, readConfig } from '#workers/config.ts';
import type { Terminal } from './command.ts';

export interface ServiceParts {
  readonly config: Config;
  readonly database: Database;
  readonly sql: Sql;
  readonly log: Log;
}

/** Runs `use` with the database open and closes it afterwards, also when the command is interrupted. */
export async function withService<Result>(
  terminal: Terminal,
  use: (parts: ServiceParts) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(terminal.env);
  await mkdir(config.dataDir, { recursive: true });
  const log = commandLog(terminal);
  const { databaseUrl, dataDir } = config;
  const database = await openDatabase({ databaseUrl, dataDir, role: 'command', log });
  const interrupted = (signal: NodeJS.Signals): void => {
    terminal.say(`interrupted by ${signal}`);
    database.close().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143));
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await use({ config, database, sql: database.connect(2), log });
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await database.close();
  }
}

/** Beside a command's own words only what goes wrong is of interest, in a form for people. */
function commandLog(terminal: Terminal): Log {
  const tell = (details: object, message: string): void => {
    const named = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
    terminal.say(named.length === 0 ? message : `${message} (${named.join(', ')})`);
  };
  return { info() {}, warn: tell, error: tell };
}
