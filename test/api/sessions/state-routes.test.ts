import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FeedCatalogue } from '#api/feeds/feed-catalogue.ts';
import type { ApiError } from '#api/http/api-error.ts';
import { stateRoutes } from '#api/sessions/state-routes.ts';
import type { StateFolder } from '#api/states/state-folder.ts';
import { TimelineKeys } from '#api/states/timeline-keys.ts';
import { STATES_ANSWER_BYTES_MAX, STATES_WAITING_MAX } from '#engine/base/limits.ts';
import { feedsOf } from '#schemas/webhook/feeds.ts';
import { WrittenTimeline } from '#test/support/live-timelines.ts';

const CALLER = { accountId: 'acc_1', plan: 'custom' } as const;
const { memory } = new WrittenTimeline().publish(3);

/** Asks for the states of a live session with three updates, which `fold` makes. Returns the text or the refusal. */
function asking(fold: StateFolder['fold']) {
  const logged: string[] = [];
  const log = { info() {}, warn() {}, error: (_details: object, text: string) => logged.push(text) };
  const { get } = stateRoutes({
    catalogue: new FeedCatalogue(feedsOf(['f1'])),
    access: { findInSeason: () => assert.fail('it is live') },
    library: { open: () => assert.fail('it is live'), status: () => assert.fail('it is live') },
    folder: { fold },
    keys: new TimelineKeys(),
    published: () => ({ memory, ended: false }),
    log: log as never,
  });
  const ask = async (query: object = {}): Promise<string | ApiError> => {
    const request = { requestId: '', params: { sessionId: 'small-race' }, query, body: undefined, caller: CALLER };
    try {
      const reply = await get.handle(request as never);
      return (reply as { readonly text: string }).text;
    } catch (error) {
      return error as ApiError;
    }
  };
  return { ask, logged };
}

const refusal = (answer: string | ApiError) => (typeof answer === 'string' ? answer : [answer.code, answer.message]);

test('the states are asked for once, at the position of the moment, of feeds that have one', async () => {
  const asked: unknown[] = [];
  const { ask } = asking(async ({ key, position, feedIds }) => {
    asked.push([key, position, feedIds.length]);
    return ['{"feed":"lap.count"}', '{"feed":"timing.data"}'];
  });
  const head = '"sessionId":"small-race","seriesId":"f1","live":true';
  const states = '"states":[{"feed":"lap.count"},{"feed":"timing.data"}]';
  assert.equal(await ask(), `{"data":{${head},"sequence":3,"updateCount":3,${states}}}`);
  assert.equal(await ask({ sequence: 2 }), `{"data":{${head},"sequence":2,"updateCount":3,${states}}}`);
  assert.deepEqual(asked, [
    ['small-race live 1', 3, 37],
    ['small-race live 1', 2, 37],
  ]);
});

test('with too many questions waiting, another one gets 503 with Retry-After; later ones are answered again', async () => {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  const { ask } = asking(() => promise);
  const waiting = Array.from({ length: STATES_WAITING_MAX }, () => ask());
  await Promise.resolve();
  const refused = (await ask()) as ApiError;
  assert.deepEqual([refused.code, refused.headers['retry-after']], ['unavailable', '5']);
  resolve([]);
  for (const answer of await Promise.all(waiting)) assert.equal(typeof answer, 'string');
  assert.equal(typeof (await ask()), 'string');
});

test('a question is asked again until all of its parts are done, but not for ever', async () => {
  let parts = 0;
  const { ask } = asking(async () => (++parts < 4 ? null : []));
  assert.equal(typeof (await ask()), 'string');
  assert.equal(parts, 4);
  const { ask: askInVain } = asking(async () => null);
  assert.equal(((await askInVain()) as ApiError).code, 'unavailable');
});

test('a thread that dies is logged, and the customer is told to come back', async () => {
  const { ask, logged } = asking(async () => {
    throw new Error('the thread died');
  });
  assert.deepEqual(refusal(await ask()), ['unavailable', 'The states could not be made: try again shortly.']);
  assert.deepEqual(logged, ['could not make the states of a session']);
});

test('an answer has a bound; the refusal says how to stay within it', async () => {
  const { ask } = asking(async () => ['é'.repeat(STATES_ANSWER_BYTES_MAX / 2)]);
  assert.deepEqual(refusal(await ask()), [
    'invalid_query',
    'the states of these feeds have more than 4 MiB: name fewer in feeds',
  ]);
});
