import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { FEED_ROWS } from '#engine/session/feeds.ts';
import { UPSTREAM_MESSAGES } from '#schemas/upstream/messages.ts';
import { ALL_SESSIONS, framesOf, WITHOUT_RECORDINGS } from '#test/session/real-sessions.ts';

const ajv = new Ajv({ allowUnionTypes: true });
const validators = new Map(Object.entries(UPSTREAM_MESSAGES).map(([topic, schema]) => [topic, ajv.compile(schema)]));

test('every topic that feeds something is described', () => {
  for (const { topic } of FEED_ROWS) assert.ok(validators.has(topic), topic);
});

test('the descriptions hold for every recorded message', { skip: WITHOUT_RECORDINGS }, () => {
  for (const session of ALL_SESSIONS) {
    for (const { topic, json } of framesOf(session)) {
      const validate = validators.get(topic);
      if (validate === undefined || validate(JSON.parse(json))) continue;
      assert.fail(`${session} ${topic}: ${ajv.errorsText(validate.errors)} in ${json.slice(0, 300)}`);
    }
  }
});
