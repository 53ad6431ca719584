// What people choose for an endpoint in the console: feeds, filters and headers of their own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceOf, feedIdsOf, groupsOf, isOpen, withFeeds } from '#api/console/app/pages/endpoints/feed-choice.ts';
import { filtersOf, formOf, includes, NO_FILTERS, toggled } from '#api/console/app/pages/endpoints/filter-form.ts';
import { parseHeaders } from '#api/console/app/pages/endpoints/own-headers.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';

const F1 = FEEDS.filter(({ seriesId }) => seriesId === 'f1');

test('every feed is in one group, and only what nobody knows in the last one', () => {
  const groups = groupsOf(FEEDS);
  assert.equal(groups.flatMap(({ feeds }) => feeds).length, FEEDS.length);
  assert(groupsOf(F1).every(({ name }) => name !== 'others'));
});

test('a group is chosen and given up without touching other feeds', () => {
  const [first, second, third] = F1;
  const some = withFeeds({ kind: 'these', feedIds: [first!.feedId] }, [second!, third!], true);
  assert.deepEqual(feedIdsOf(some), [first!.feedId, second!.feedId, third!.feedId]);
  assert.deepEqual(feedIdsOf(withFeeds(some, [second!, third!], false)), [first!.feedId]);
  assert.deepEqual(feedIdsOf({ kind: 'everything', feedIds: [first!.feedId] }), ['*']);
});

test('a plan opens the feeds of its classes', () => {
  const open = F1.filter((feed) => isOpen(feed, { opens: ['free'] }));
  assert.equal(open.length, 6);
});

test('the choice of an endpoint is read back', () => {
  const subscriptions = [{ feedId: 'lap.count' }];
  assert.deepEqual(choiceOf({ feedPatterns: ['*'], subscriptions }), { kind: 'everything', feedIds: [] });
  assert.deepEqual(choiceOf({ feedPatterns: [], subscriptions }), { kind: 'these', feedIds: ['lap.count'] });
});

test('filters have only the keys that say something', () => {
  assert.deepEqual(filtersOf(NO_FILTERS), {});
  assert.deepEqual(
    filtersOf({
      drivers: 'ver, HAM lec',
      driverNumbers: '44;1',
      constructors: 'red bull, Halcyon',
      positionMin: '',
      positionMax: '3',
      eventTypes: ['overtake'],
    }),
    {
      drivers: ['VER', 'HAM', 'LEC'],
      driverNumbers: ['44', '1'],
      constructors: ['red bull', 'Halcyon'],
      positions: { max: 3 },
      eventTypes: ['overtake'],
    },
  );
});

test('filters are the same after they were in a form', () => {
  const filters = {
    drivers: ['VER'],
    driverNumbers: ['44'],
    constructors: ['red bull'],
    positions: { min: 1, max: 10 },
    eventTypes: ['overtake' as const],
  };
  assert.deepEqual(filtersOf(formOf(filters)), filters);
  assert.deepEqual(filtersOf(formOf({})), {});
});

test('an entry of a list is picked and given up, whatever its case', () => {
  const one = toggled('ver', 'HAM');
  assert.equal(one, 'ver, HAM');
  assert(includes(one, 'VER'));
  assert.equal(toggled(one, 'VER'), 'HAM');
});

test('headers are read by line, and a line that is none is named', () => {
  assert.deepEqual(parseHeaders('X-Key: a:b\n\n  X-Other :  two '), {
    kind: 'ok',
    headers: { 'X-Key': 'a:b', 'X-Other': 'two' },
  });
  assert.deepEqual(parseHeaders('X-Key: 1\nnothing'), { kind: 'wrong', line: 2 });
  assert.deepEqual(parseHeaders(': value'), { kind: 'wrong', line: 1 });
  assert.deepEqual(parseHeaders('__proto__: 1'), { kind: 'ok', headers: JSON.parse('{"__proto__":"1"}') });
});
