// `import calendar`: the race calendar that GET /v1/events shows.

import { postgresCalendarStore } from '#api/calendar/postgres-calendar-store.ts';
import { systemClock } from '#engine/base/clock.ts';
import { CALENDAR_LINES_SHOWN_MAX } from '#engine/base/limits.ts';
import { openCalendar } from '#engine/seasons/calendar/open-calendar.ts';
import { readConfig } from '#workers/config.ts';
import { type Command, type Terminal, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';

const HELP = `Puts the newer race calendar of one or more seasons in the place of what they had, all or nothing.

Usage: npm run admin -- import calendar PATH [--season YEAR]

  PATH            Index.json of a season of the live-timing archive, or a folder with several (Index*.json);
                  or the folder of an f1db CSV release (f1db-races.csv with f1db-grands-prix.csv and f1db-circuits.csv)
  --season YEAR   Only this season (all that an index has; of f1db, SEASON and later)

Sessions that the source does not give a time for are left out, and so are tests before the season; both are said on
standard error. An index names when a session ends; with f1db practice and qualifying last an hour, sprint qualifying 44
minutes, a sprint an hour, a race two. When and how a session really ends, a live source or its recording tells.

A session that the season had and the newer calendar lacks is kept as cancelled, and comes back when a later import has
it; one that has moved keeps its id. A session that was over stays as it was, unless f1db, which has every race that was
held, no longer has its event. What an index does not reach (before its first session, after its last) stays as well.
Sessions that have only been renamed or replaced are removed.

Prints {"seasons", "events", "sessions", "cancelled"}; cancelled are those that this import has called off.

Examples:
  npm run admin -- import calendar ./Index-2026.json
  npm run admin -- import calendar ./f1db --season 2026`;

export const importCalendarCommand: Command = {
  words: 'import calendar',
  summary: 'Put the race calendar of a season in place',
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
    const { cancelled } = await withService(terminal, ({ sql }) => postgresCalendarStore(sql).revise(calendar, nowMs));
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
