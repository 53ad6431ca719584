// `import calendar`: the race calendar that GET /v1/events shows.

import { postgresCalendarStore } from '#api/calendar/postgres-calendar-store.ts';
import { openCalendar } from '#engine/calendar/open-calendar.ts';
import { systemClock } from '#engine/clock.ts';
import { readConfig } from '#workers/config.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';

const HELP = `Puts the race calendar of one or more seasons in the place of what they had, all or nothing.

Usage: npm run admin -- import calendar PATH [--season YEAR]

  PATH            Index.json of a season of the live-timing archive, or a folder with several (Index*.json);
                  or the folder of an f1db CSV release (f1db-races.csv with f1db-grands-prix.csv and f1db-circuits.csv)
  --season YEAR   Only this season (all that an index has; of f1db, SEASON and later)

Sessions that the source does not give a time for are left out, and so are tests before the season; both are said on
standard error. An index names when a session ends; with f1db practice and qualifying last an hour, sprint qualifying 44
minutes, a sprint an hour, a race two. When and how a session really ends, a live source or its recording tells.

Prints {"seasons", "events", "sessions"}.

Examples:
  npm run admin -- import calendar ./Index-2026.json
  npm run admin -- import calendar ./f1db --season 2026`;

/** Sentences about what is left out that are said one by one. */
const LEFT_OUT_SAID = 10;

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
    const { events, leftOut } = openCalendar(path, { season, current });
    await withService(terminal, ({ sql }) => postgresCalendarStore(sql).replace(events));
    for (const what of leftOut.slice(0, LEFT_OUT_SAID)) terminal.say(`left out: ${what}`);
    if (leftOut.length > LEFT_OUT_SAID) terminal.say(`left out: ${leftOut.length - LEFT_OUT_SAID} more`);
    const seasons = [...new Set(events.map((event) => event.season))].sort((a, b) => a - b);
    const sessions = events.reduce((sum, event) => sum + event.sessions.length, 0);
    terminal.print(JSON.stringify({ seasons, events: events.length, sessions }));
  },
};

function year(text: string): number {
  if (!/^\d{4}$/.test(text)) throw new UsageError(`--season: "${text}" is not a year such as 2026`);
  return Number(text);
}
