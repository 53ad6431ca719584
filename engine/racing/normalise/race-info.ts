// timing.race-info: the changes in the race overview, field by field. It has positions of its own, because they change
// at other moments than those of the timing screen, which every entry has.

import { booleanOf, integerOf, objectOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import { gapOf } from '#engine/racing/timing-text.ts';
import type { RaceInfoDriver } from '#schemas/webhook/timing-race-info.ts';
import { NOTHING, type Normalise } from './normaliser.ts';

export const raceInfo: Normalise = (changes, state) => {
  const drivers: RaceInfoDriver[] = [];
  for (const number of racingNumbers(changes)) {
    const change = objectOf(changes[number]);
    const entry: RaceInfoDriver = state.driver(number);
    const fields = Object.keys(entry).length;
    if (Object.hasOwn(change, 'Position')) entry.racePosition = integerOf(change.Position);
    if (Object.hasOwn(change, 'Gap')) entry.gapToLeader = gapOf(change.Gap);
    if (Object.hasOwn(change, 'Interval')) entry.gapToAhead = gapOf(change.Interval);
    if (Object.hasOwn(change, 'PitStops')) entry.pitStops = integerOf(change.PitStops);
    if (Object.hasOwn(change, 'Catching')) entry.catchingState = integerOf(change.Catching);
    if (Object.hasOwn(change, 'OvertakeState')) entry.overtakeState = integerOf(change.OvertakeState);
    if (Object.hasOwn(change, 'IsOut')) entry.isOut = booleanOf(change.IsOut);
    if (Object.keys(entry).length > fields) drivers.push(entry);
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};
