// A filters object as customers write it, for the documentation. It does not check anything: the filter parser does, and
// names every violation in the words of filters. A test holds the two against each other.

import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';

const position = { type: 'integer', minimum: 1, maximum: 99 };

function texts(description: string, items: object) {
  return { type: 'array', description, minItems: 1, maxItems: 64, items: { type: 'string', ...items } };
}

export const FILTERS_SCHEMA = {
  type: 'object',
  description: 'Keys combine with AND; all are optional, and none matches everything.',
  additionalProperties: false,
  properties: {
    drivers: texts('Three-letter driver codes.', { pattern: '^[A-Za-z]{3}$' }),
    driverNumbers: texts('Racing numbers.', { pattern: '^(0|[1-9][0-9]{0,2})$' }),
    constructors: texts('Keywords of team names, in any case, with or without spaces.', {
      minLength: 1,
      maxLength: 64,
    }),
    positions: {
      type: 'object',
      description: 'Race positions that at least one matching driver is in.',
      additionalProperties: false,
      properties: { min: position, max: position },
    },
    eventTypes: texts('For the feed events.race only.', { enum: [...RACE_EVENT_TYPES] }),
  },
};
