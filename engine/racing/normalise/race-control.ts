// race-control.messages: one payload for each new or corrected message, by ascending number.

import { integerOf, objectOf, textOf } from '#engine/base/json-value.ts';
import { isRacingNumber } from '#engine/racing/session/session-state.ts';
import type { RaceControlMessageData } from '#schemas/webhook/race-control-messages.ts';
import { isoUtcOf } from './iso-utc.ts';
import type { Normalise } from './normaliser.ts';

export const raceControlMessages: Normalise = (changes, state) => {
  const messages = objectOf(state.topic('RaceControlMessages').Messages);
  const contents: { data: RaceControlMessageData }[] = [];
  for (const key of Object.keys(objectOf(changes.Messages))) {
    const index = integerOf(key);
    const message = objectOf(messages[key]);
    const text = textOf(message.Message);
    if (index === null || text === null) continue;
    const data: RaceControlMessageData = {
      index,
      utc: isoUtcOf(message.Utc),
      message: text.trim(),
      category: textOf(message.Category),
    };
    const lap = integerOf(message.Lap);
    if (lap !== null) data.lap = lap;
    const flag = textOf(message.Flag);
    if (flag !== null) data.flag = flag;
    const scope = textOf(message.Scope);
    if (scope !== null) data.scope = scope;
    const sector = integerOf(message.Sector);
    if (sector !== null) data.sector = sector;
    const status = textOf(message.Status);
    if (status !== null) data.status = status;
    const mode = textOf(message.Mode);
    if (mode !== null) data.mode = mode;
    const number = textOf(message.RacingNumber);
    if (number !== null && isRacingNumber(number)) data.driver = state.driver(number);
    contents.push({ data });
  }
  return contents;
};
