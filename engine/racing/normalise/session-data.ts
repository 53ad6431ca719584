// session.data: the new and corrected entries of the session's log, each with all fields.

import { integerOf, objectOf, textOf } from '#engine/base/json-value.ts';
import type { SessionSeriesEntry, SessionStatusEntry } from '#schemas/webhook/session-data.ts';
import { isoUtcOf } from './iso-utc.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';

/** The texts that SessionData uses for the codes of TrackStatus, with our names for them, as in track.status. */
const TRACK_STATUSES: ReadonlyMap<string, string> = new Map([
  ['AllClear', 'clear'],
  ['Yellow', 'yellow'],
  ['SCDeployed', 'safety_car'],
  ['Red', 'red'],
  ['VSCDeployed', 'virtual_safety_car'],
  ['VSCEnding', 'virtual_safety_car_ending'],
]);

export const sessionData: Normalise = (changes, state) => {
  const { Series, StatusSeries } = state.topic('SessionData');
  const series: SessionSeriesEntry[] = [];
  for (const [index] of places(changes.Series)) {
    const { Utc, Lap, QualifyingPart } = objectOf(objectOf(Series)[index]);
    const entry: SessionSeriesEntry = { index, utc: isoUtcOf(Utc) };
    const lap = integerOf(Lap);
    if (lap !== null) entry.lap = lap;
    const part = integerOf(QualifyingPart);
    if (part !== null) entry.qualifyingPart = part;
    if (lap !== null || part !== null) series.push(entry);
  }
  const statusSeries: SessionStatusEntry[] = [];
  for (const [index] of places(changes.StatusSeries)) {
    const { Utc, TrackStatus, SessionStatus } = objectOf(objectOf(StatusSeries)[index]);
    const entry: SessionStatusEntry = { index, utc: isoUtcOf(Utc) };
    const track = textOf(TrackStatus);
    if (track !== null) entry.trackStatus = TRACK_STATUSES.get(track) ?? 'unknown';
    const session = textOf(SessionStatus);
    if (session !== null) entry.sessionStatus = session.toLowerCase();
    if (track !== null || session !== null) statusSeries.push(entry);
  }
  if (series.length === 0 && statusSeries.length === 0) return NOTHING;
  return [{ data: { series, statusSeries } }];
};
