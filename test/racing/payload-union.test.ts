// Payloads are a union by `feed`, and race events one by `event`. Receivers in TypeScript rely on it: the functions
// below compile only while a payload is narrowed by its `feed` and an event by its `event`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { PAYLOAD_SCHEMAS, type WebhookPayload } from '#schemas/webhook/payloads.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { RACE_EVENT_PAYLOADS, type RaceEventPayload } from '#schemas/webhook/race-events.ts';
import { F1_SESSIONS } from './golden/golden-sessions.ts';
import { payloadsOf } from './real-sessions.ts';

const ajv = new Ajv({ allowUnionTypes: true, strict: true });

function byFeed(payload: WebhookPayload): string {
  switch (payload.feed) {
    case 'lap.count':
      return `lap ${payload.data.currentLap}`;
    case 'weather.data':
      // @ts-expect-error: laps are not weather
      return `${payload.data.currentLap} ${payload.data.airTempC}`;
    case 'events.race':
      return byEvent(payload);
    default:
      return payload.feed;
  }
}

function byEvent(payload: RaceEventPayload): string {
  switch (payload.event) {
    case 'pit_stop':
      return `stop ${payload.data.stop} of ${payload.drivers[0]?.tla}`;
    case 'milestone':
      // @ts-expect-error: a milestone has no stop
      return `${payload.data.percent} ${payload.data.stop}`;
    default:
      return payload.event;
  }
}

test('a receiver that switches by feed and by event reads the fields of each', () => {
  const payloads = F1_SESSIONS.flatMap(({ timeline }) => payloadsOf(timeline)) as unknown as WebhookPayload[];
  const texts = new Set(payloads.map(byFeed));
  assert.ok(texts.has('lap 5'));
  assert.ok(texts.has('stop 1 of BEZ'));
  assert.ok(texts.has('90 undefined'));
});

test('every race event is valid by the schema of its own type and by no other', () => {
  const validators = RACE_EVENT_TYPES.map((type) => [type, ajv.compile(RACE_EVENT_PAYLOADS[type])] as const);
  const whole = ajv.compile(PAYLOAD_SCHEMAS['events.race']);
  const samples = new Map(
    F1_SESSIONS.flatMap(({ timeline }) => payloadsOf(timeline, 'events.race')).map((payload) => [
      payload.event!,
      payload,
    ]),
  );
  assert.equal(samples.size, RACE_EVENT_TYPES.length);
  for (const [event, payload] of samples) {
    const fitting = validators.filter(([, validate]) => validate(payload)).map(([type]) => type);
    assert.deepEqual(fitting, [event]);
    assert.ok(whole(payload), event);
    assert.equal(whole({ ...payload, data: { ...payload.data, ofAnotherEvent: 1 } }), false, event);
  }
  assert.equal(whole({ ...samples.get('milestone'), data: samples.get('pit_stop')!.data }), false);
});
