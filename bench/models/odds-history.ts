// The scored moments of all races of which there are tables of laps, each with what previews knew before its weekend.

import type { Frame } from '#engine/racing/frame.ts';
import { PREVIEW_TOPIC } from '#engine/racing/session/known-before.ts';
import { Forecaster } from '#engine/seasons/forecast/forecaster.ts';
import { strengthsMessage } from '#engine/seasons/forecast/strengths-frame.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { lapRaces } from './lap-races.ts';
import { type OddsCase, oddsCases } from './odds-cases.ts';

export function tabledOddsCases(folder: string, seasons: readonly number[], history: History): readonly OddsCase[] {
  const forecaster = new Forecaster(history);
  return seasons.flatMap((season) =>
    lapRaces(folder, season, history).flatMap(({ sessionId, weekend, frames, result }) =>
      oddsCases(sessionId, season, withStrengths(frames, forecaster, weekend.eventId), result),
    ),
  );
}

/** The frames of a session after what was known of it before. */
export function withStrengths(frames: readonly Frame[], forecaster: Forecaster, eventId: string): readonly Frame[] {
  const message = strengthsMessage(forecaster, eventId);
  const [first] = frames;
  if (message === null || first === undefined) return frames;
  return [{ utcMs: first.utcMs, topic: PREVIEW_TOPIC, json: JSON.stringify(message) }, ...frames];
}
