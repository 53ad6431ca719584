// `session list`: lists the sessions that can be replayed.

import { PostgresSessionCatalogue } from '#engine/intake/recording/postgres-session-catalogue.ts';
import type { SessionEntry } from '#engine/intake/recording/session-catalogue.ts';
import type { Command } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';
import { textTable } from './text-table.ts';

const HELP = `Lists the sessions that can be replayed, latest first.

Usage: npm run admin -- session list [--json]

  --json   Print JSON even on a terminal

Example: npm run admin -- session list --json`;

export const sessionList: Command = {
  words: 'session list',
  summary: 'List the sessions that can be replayed',
  help: HELP,

  async run(args, terminal) {
    const { values } = readArguments(args, { json: { type: 'boolean' } });
    const entries = await withService(terminal, 'used', ({ sql }) => new PostgresSessionCatalogue(sql).list());
    if (values.json === true || !terminal.interactive) {
      terminal.print(JSON.stringify(entries.map(jsonEntry)));
    } else if (entries.length === 0) {
      terminal.say('There are no sessions yet. The built-in one appears when the service first starts.');
    } else {
      terminal.print(textTable(['SESSION', 'TYPE', 'CIRCUIT', 'START', 'MINUTES', 'UPDATES', ''], entries.map(row)));
    }
  },
};

function jsonEntry({ startUtcMs, ...entry }: SessionEntry): Readonly<Record<string, unknown>> {
  return { ...entry, startDate: new Date(startUtcMs).toISOString() };
}

function row(entry: SessionEntry): string[] {
  return [
    entry.sessionId,
    entry.type,
    entry.circuitName,
    new Date(entry.startUtcMs).toISOString().slice(0, 16).replace('T', ' '),
    String(Math.round(entry.durationMs / 60_000)),
    String(entry.updateCount),
    entry.demo ? 'built in' : '',
  ];
}
