import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AttemptList } from '#engine/delivery/delivery-log/attempt-list.ts';
import { anyAttempt } from '../../support/any-attempt.ts';

test('any attempts are read as they were added, however many they are', () => {
  fc.assert(
    fc.property(fc.array(anyAttempt([1, 7, 2 ** 31 - 1]), { maxLength: 200 }), (attempts) => {
      const list = AttemptList.from(attempts);
      assert.equal(list.length, attempts.length);
      assert.deepEqual([...list], attempts);
    }),
  );
});

test('an attempt is copied: what its maker does with it afterwards changes nothing', () => {
  const [attempt] = fc.sample(anyAttempt([1]), 1);
  const made = { ...attempt! };
  const list = AttemptList.from([made]);
  made.sequence++;
  assert.deepEqual([...list], [attempt]);
});

test('a list that was emptied holds only what was added since', () => {
  const [first, second] = fc.sample(anyAttempt([1]), 2);
  const list = AttemptList.from([first!, second!]);
  list.clear();
  assert.deepEqual([...list], []);
  list.push(second!);
  assert.deepEqual([...list], [second]);
});

test('attempts that are such a list already are not copied', () => {
  const list = AttemptList.from(fc.sample(anyAttempt([1]), 3));
  assert.equal(AttemptList.from(list), list);
});
