// timing.driver-info: the changes in the driver list. Names, codes and teams are part of every entry anyway.

import { integerOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { racingNumbers } from '#engine/racing/session/session-state.ts';
import type { DriverInfoDriver } from '#schemas/webhook/driver-info.ts';
import { NOTHING, type Normalise, touches } from './normaliser.ts';

const IDENTITY_FIELDS = ['RacingNumber', 'Tla', 'FullName', 'TeamName'];

export const driverInfo: Normalise = (changes, state) => {
  const drivers: DriverInfoDriver[] = [];
  for (const number of racingNumbers(changes)) {
    const change = objectOf(changes[number]);
    const entry: DriverInfoDriver = state.driver(number);
    const identityFields = Object.keys(entry).length;
    if (Object.hasOwn(change, 'Line')) entry.line = integerOf(change.Line);
    if (Object.hasOwn(change, 'FirstName')) entry.firstName = textOf(change.FirstName);
    if (Object.hasOwn(change, 'LastName')) entry.lastName = textOf(change.LastName);
    if (Object.hasOwn(change, 'BroadcastName')) entry.broadcastName = textOf(change.BroadcastName);
    if (Object.hasOwn(change, 'TeamColour')) entry.teamColor = textOf(change.TeamColour);
    if (Object.hasOwn(change, 'CountryCode')) entry.countryCode = textOf(change.CountryCode);
    if (Object.hasOwn(change, 'HeadshotUrl')) entry.headshotUrl = textOf(change.HeadshotUrl);
    if (Object.hasOwn(change, 'Reference')) entry.reference = textOf(change.Reference);
    if (Object.keys(entry).length > identityFields || touches(change, IDENTITY_FIELDS)) drivers.push(entry);
  }
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};
