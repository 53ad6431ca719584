// Detects the kind of calendar at a path and reads it.

import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SourceError } from '#engine/base/source-error.ts';
import { readArchiveIndex } from './archive-index.ts';
import { RACES_FILE, readF1dbRaces } from './f1db-races.ts';
import type { SeasonCalendar } from './season-calendar.ts';

const INDEX_FILE = /^Index.*\.json$/;
const SUPPORTED = `Give an Index.json of the live-timing archive, a folder with several, or a folder with ${RACES_FILE}`;

export interface SeasonChoice {
  /** Read only this season. Null: `current` decides. */
  readonly season: number | null;
  /** From f1db, which begins in 1950: this season and later ones. An archive index is read in full. */
  readonly current: number;
}

/** Reads a calendar. Throws a SourceError if there is none, if it has no wanted season, or if an id appears twice. */
export function openCalendar(path: string, choice: SeasonChoice): SeasonCalendar {
  const { season, current } = choice;
  const calendar = read(path, choice);
  if (calendar.events.length === 0) {
    const missing = season === null ? `a season from ${current} on` : `season ${season}`;
    throw new SourceError(path, `it has no events of ${missing}`, 'Choose another season with --season');
  }
  const ids = new Set<string>();
  for (const { eventId, sessions } of calendar.events) {
    for (const id of [eventId, ...sessions.map(({ sessionId }) => sessionId)]) {
      if (ids.has(id))
        throw new SourceError(path, `${id} appears twice`, 'Give each season once; nothing was imported');
      ids.add(id);
    }
  }
  return calendar;
}

function read(path: string, { season, current }: SeasonChoice): SeasonCalendar {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new SourceError(path, 'there is nothing at this path', 'Check the spelling');
  const folder = found.isDirectory() ? path : dirname(path);
  const files = found.isDirectory() ? filesIn(path) : [basename(path)];
  if (files.includes(RACES_FILE)) {
    return readF1dbRaces(folder, (one) => (season === null ? one >= current : one === season));
  }
  const indexes = found.isDirectory() ? files.filter((file) => INDEX_FILE.test(file)) : files;
  if (indexes.length === 0 || !indexes.every((file) => file.endsWith('.json'))) {
    throw new SourceError(path, 'this is not a calendar', SUPPORTED);
  }
  const wanted = (one: number) => season === null || one === season;
  const calendars = indexes.sort().map((file) => readArchiveIndex(join(folder, file), wanted));
  return {
    events: calendars.flatMap(({ events }) => events),
    complete: calendars.every(({ complete }) => complete),
    leftOut: calendars.flatMap(({ leftOut }) => leftOut),
  };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EACCES'
      ? new SourceError(folder, 'it may not be read by this user', 'Change its permissions')
      : error;
  }
}
