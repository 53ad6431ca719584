// The schema of `filters` for the documentation only. The filter parser validates requests, because it reports every
// violation in terms of filters. A test checks that the two agree.

import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { DRIVER_CODE, DRIVER_NUMBER } from './text-patterns.ts';

const position = (description: string) => ({ type: 'integer', minimum: 1, maximum: 99, description });

function texts(description: string, items: object) {
  return { type: 'array', description, minItems: 1, maxItems: 64, items: { type: 'string', ...items } };
}

export const FILTERS_SCHEMA = {
  type: 'object',
  description: 'Keys combine with AND. All are optional; an empty object matches everything.',
  additionalProperties: false,
  properties: {
    drivers: texts('Three-letter driver codes.', { pattern: DRIVER_CODE }),
    driverNumbers: texts('Racing numbers.', { pattern: DRIVER_NUMBER }),
    constructors: texts('Keywords from team names. Case and spaces do not matter.', {
      minLength: 1,
      maxLength: 64,
    }),
    positions: {
      type: 'object',
      description: 'Range of race positions. At least one matching driver must be in it.',
      additionalProperties: false,
      properties: {
        min: position('The best position. Default: 1.'),
        max: position('The worst position. Default: the last one.'),
      },
    },
    eventTypes: texts('Only for the feed events.race.', { enum: [...RACE_EVENT_TYPES] }),
  },
};
