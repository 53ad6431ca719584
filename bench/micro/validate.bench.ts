// A customer's request body: parsed, checked against the schema of the operation, and rejected if it is invalid.

import { parseBody } from '#api/http/request-body.ts';
import { schemaCheck } from '#api/http/schema-check.ts';
import { WebhookCreation } from '#schemas/http/webhooks.ts';
import { kept, type Operation, repeated } from './operation.ts';

const TIMES = 256;

const GOOD = {
  webhookUrl: 'https://receiver.example/hook',
  webhookMethod: 'post',
  subscriptions: [
    { feedId: 'timing.data', filters: { drivers: ['VER', 'HAM'], positions: { min: 1, max: 10 } } },
    { feedId: 'events.race', filters: { eventTypes: ['overtake', 'pit_entry'] } },
  ],
};
const WRONG = { ...GOOD, webhookUrl: '', webhookMethod: 'get' };
const VIOLATIONS = 2;

export function prepare(): readonly Operation[] {
  const bytes = Buffer.from(JSON.stringify(GOOD));
  const check = schemaCheck(WebhookCreation, 'the body');
  const parse = (): number => {
    kept.value = parseBody(bytes, 'application/json', false);
    return 1;
  };
  return [
    repeated('parse a request body', TIMES, 1, parse),
    repeated('check a request body', TIMES, 0, () => check(GOOD).length),
    repeated('refuse a request body, two violations', TIMES, VIOLATIONS, () => check(WRONG).length),
  ];
}
