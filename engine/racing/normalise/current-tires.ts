// tire.current: the changes in the tires on each car.

import { objectOf, textOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import type { CurrentTireDriver } from '#schemas/webhook/tire-current.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { spelledBoolean } from './spelled-boolean.ts';

export const currentTires: Normalise = (changes, state) => {
  const tires = objectOf(changes.Tyres);
  const drivers: CurrentTireDriver[] = [];
  for (const number of racingNumbers(tires)) {
    const change = objectOf(tires[number]);
    const entry: CurrentTireDriver = state.driver(number);
    const fields = Object.keys(entry).length;
    if (Object.hasOwn(change, 'Compound')) entry.compound = textOf(change.Compound);
    if (Object.hasOwn(change, 'New')) entry.isNew = spelledBoolean(change.New);
    if (Object.keys(entry).length > fields) drivers.push(entry);
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};
