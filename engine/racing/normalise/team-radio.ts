// team.radio: the new and corrected radio messages, by driver. Drivers come in the order of their first message.

import { objectOf, textOf } from '#engine/base/json-value.ts';
import { isRacingNumber } from '#engine/racing/session/session-state.ts';
import type { RadioCapture, TeamRadioDriver } from '#schemas/webhook/team-radio.ts';
import { isoUtcOf } from './iso-utc.ts';
import { NOTHING, type Normalise } from './normaliser.ts';
import { places } from './places.ts';

export const teamRadio: Normalise = (changes, state) => {
  const captures = objectOf(state.topic('TeamRadio').Captures);
  const byNumber = new Map<string, RadioCapture[]>();
  for (const [index] of places(changes.Captures)) {
    const { Utc, RacingNumber, Path } = objectOf(captures[index]);
    const number = textOf(RacingNumber);
    const path = textOf(Path);
    if (number === null || !isRacingNumber(number) || path === null) continue;
    const capture = { index, utc: isoUtcOf(Utc), path };
    const others = byNumber.get(number);
    if (others === undefined) byNumber.set(number, [capture]);
    else others.push(capture);
  }
  const drivers: TeamRadioDriver[] = [];
  for (const [number, ofDriver] of byNumber) drivers.push({ ...state.driver(number), captures: ofDriver });
  return drivers.length === 0 ? NOTHING : [{ drivers }];
};
