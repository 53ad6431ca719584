import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { withApi } from './api-harness.ts';

const api = await withApi({ after });
const [free, developer, custom] = [
  await api.client('free'),
  await api.client('developer'),
  await api.client('custom'),
] as const;

const SCORES = '/v1/fantasy/races/2026-miami/scores';
const LIVE = '/v1/fantasy/session/2026-miami-race/scores';
const PIT_TIMES = '/v1/fantasy/session/2026-miami-race/pit-times';

test('fantasy is not for Free, whatever else is wrong with a request', async () => {
  for (const path of [SCORES, `${SCORES}?session=nap`, `${SCORES}?session=race&session=sprint`, LIVE, PIT_TIMES]) {
    const { status, body } = await free.call('GET', path);
    assert.deepEqual([status, body.code], [403, 'insufficient_tier'], path);
    assert.equal((await api.call('GET', path)).status, 401, path);
  }
});

test('there are no scores of a completed race and no pit-lane times before there is something to compute them', async () => {
  for (const path of [SCORES, `${SCORES}?session=race`, `${SCORES}?session=sprint`, PIT_TIMES]) {
    for (const client of [developer, custom]) {
      const { status, body } = await client.call('GET', path);
      assert.deepEqual([status, body.code], [404, 'not_available'], path);
    }
  }
});

test('scores are those of the race or the sprint', async () => {
  const { status, body } = await developer.call('GET', `${SCORES}?session=practice`);
  assert.deepEqual([status, body.code], [400, 'invalid_query']);
  assert.match(body.error, /session must be one of race, sprint/);
});

test('a session that is not live says so with an empty list', async () => {
  const { status, body } = await developer.call('GET', LIVE);
  assert.equal(status, 200);
  const { message, ...rest } = body.data;
  assert.deepEqual(rest, {
    sessionId: '2026-miami-race',
    live: false,
    provisional: false,
    currentLap: null,
    totalLaps: null,
    scores: [],
  });
  assert.match(message, /not live/);
});

test('previews are for every plan, and there are none before there is a model', async () => {
  for (const client of [free, developer, custom]) {
    const list = await client.call('GET', '/v1/preview/upcoming');
    assert.deepEqual([list.status, list.body], [200, { data: { previews: [] } }]);
    const one = await client.call('GET', '/v1/preview/2026-miami-race');
    assert.deepEqual([one.status, one.body.code], [404, 'not_available']);
  }
  assert.equal((await api.call('GET', '/v1/preview/upcoming')).status, 401);
  assert.equal((await api.call('GET', '/v1/preview/2026-miami-race')).status, 401);
});
