// `import calendar`: the race calendar that GET /v1/events shows.

import { postgresCalendarStore } from '#api/calendar/postgres-calendar-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { CALENDAR_LINES_SHOWN_MAX } from '#engine/base/limits.ts';
import { openCalendar } from '#engine/seasons/calendar/open-calendar.ts';
import { readConfig } from '#workers/config.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';

const HELP = `Replaces the race calendar of one or more seasons. It replaces all of them or changes nothing.

Usage: npm run admin -- import calendar PATH [--season YEAR]

  PATH            Index.json of a season of the live-timing archive, or a folder with several (Index*.json);
                  or the folder of an f1db CSV release (f1db-races.csv with f1db-grands-prix.csv and f1db-circuits.csv)
  --season YEAR   Only this season (all seasons in an index; from f1db, SEASON and later)

Sessions without a time and pre-season tests are left out; standard error lists them. An index says when a session ends. With
f1db, practice and qualifying last one hour, sprint qualifying 44 minutes, a sprint one hour and a race two. The real end comes
from a live source or a recording.

A session that is missing in the new calendar is kept as cancelled, and restored when a later import has it. A session that
has moved keeps its id. A session that has ended stays as it was, unless f1db no longer has its event: f1db has every race that
was held. Sessions before the first and after the last one in an index stay as well. Sessions that were only renamed or
replaced are removed.

Prints {"seasons", "events", "sessions", "cancelled"}; "cancelled" counts the sessions that this import has cancelled.

Examples:
  npm run admin -- import calendar ./Index-2026.json
  npm run admin -- import calendar ./f1db --season 2026`;

export const importCalendarCommand: Command = {
  words: 'import calendar',
  summary: 'Replace the race calendar of a season',
  help: HELP,

  async run(args, terminal) {
    const { values, positionals } = readArguments(args, { season: { type: 'string' } }, ['PATH']);
    const path = positionals[0]!;
    if (path === '') throw new UsageError('PATH is empty');
    const season = values.season === undefined ? null : year(values.season);
    const current = readConfig(terminal.env).season ?? new Date(systemClock.wallMs()).getUTCFullYear();
    const calendar = openCalendar(path, { season, current });
    const { events, leftOut } = calendar;
    const nowMs = systemClock.wallMs();
    const { cancelled } = await withService(terminal, 'made', ({ sql }) =>
      postgresCalendarStore(sql).revise(calendar, nowMs),
    );
    say(terminal, 'left out', leftOut);
    say(terminal, 'cancelled', cancelled);
    const seasons = [...new Set(events.map((event) => event.season))].sort((a, b) => a - b);
    const sessions = events.reduce((sum, event) => sum + event.sessions.length, 0);
    terminal.print(JSON.stringify({ seasons, events: events.length, sessions, cancelled: cancelled.length }));
  },
};

function say(terminal: Terminal, what: string, lines: readonly string[]): void {
  for (const line of lines.slice(0, CALENDAR_LINES_SHOWN_MAX)) terminal.say(`${what}: ${line}`);
  if (lines.length > CALENDAR_LINES_SHOWN_MAX) terminal.say(`${what}: ${lines.length - CALENDAR_LINES_SHOWN_MAX} more`);
}

function year(text: string): number {
  if (!/^\d{4}$/.test(text)) throw new UsageError(`--season: "${text}" is not a year such as 2026`);
  return Number(text);
}
