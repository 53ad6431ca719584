// timing.top-three: the changes on each of the three lines. When a line passes to another driver, the payload has all
// of it: fields that did not change are new for this driver.
//
// Left out, because each entry's identity has them: names, codes, teams and colors. Position is the line.

import { booleanOf, integerOf, type JsonObject, objectOf, textOf } from '#engine/base/json-value.ts';
import { isRacingNumber } from '#engine/racing/session/session-state.ts';
import { gapOf, lapTimeOf } from '#engine/racing/timing-text.ts';
import type { TopThreeDriver, TopThreeSession } from '#schemas/webhook/timing-top-three.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';

type Entry = { -readonly [Key in keyof TopThreeDriver]: TopThreeDriver[Key] };

export const topThree: Normalise = (changes, state) => {
  const lines = objectOf(state.topic('TopThree').Lines);
  const drivers: TopThreeDriver[] = [];
  for (const [index, change] of places(changes.Lines)) {
    const line = objectOf(lines[index]);
    const number = textOf(line.RacingNumber);
    if (number === null || !isRacingNumber(number)) continue;
    const isNew = Object.hasOwn(change, 'RacingNumber');
    const entry: Entry = { ...state.driver(number), line: index + 1 };
    const fields = Object.keys(entry).length;
    fill(entry, isNew ? line : change);
    if (isNew || Object.keys(entry).length > fields) drivers.push(entry);
  }
  const session: TopThreeSession = {};
  const part = integerOf(changes.SessionPart);
  if (part !== null) session.part = part;
  const withheld = booleanOf(changes.Withheld);
  if (withheld !== null) session.withheld = withheld;
  if (Object.keys(session).length > 0) return [{ session, drivers }];
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};

function fill(entry: Entry, line: JsonObject): void {
  if (Object.hasOwn(line, 'ShowPosition')) entry.showPosition = booleanOf(line.ShowPosition);
  if (Object.hasOwn(line, 'LapTime')) entry.lapTime = lapTimeOf(line.LapTime);
  if (Object.hasOwn(line, 'LapState')) entry.lapFlags = integerOf(line.LapState);
  if (Object.hasOwn(line, 'DiffToAhead')) entry.gapToAhead = gapOf(line.DiffToAhead);
  if (Object.hasOwn(line, 'DiffToLeader')) entry.gapToLeader = gapOf(line.DiffToLeader);
  if (Object.hasOwn(line, 'OverallFastest')) entry.overallFastest = booleanOf(line.OverallFastest);
  if (Object.hasOwn(line, 'PersonalFastest')) entry.personalFastest = booleanOf(line.PersonalFastest);
}
