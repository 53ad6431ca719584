// Messages at the foot of the window.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withToast } from '#api/console/app/parts/toast-room.ts';

interface Said {
  readonly message: string;
  readonly action?: object;
}

const shownAfter = (messages: readonly Said[]): string =>
  messages
    .reduce<readonly Said[]>(withToast, [])
    .map(({ message }) => message)
    .join(' ');

test('three messages are shown, the newest ones', () => {
  assert.equal(shownAfter([{ message: 'a' }, { message: 'b' }, { message: 'c' }, { message: 'd' }]), 'b c d');
});

test('a message that offers something to do is not pushed out by newer ones', () => {
  const undo = { message: 'undo', action: {} };
  assert.equal(shownAfter([undo, { message: 'a' }, { message: 'b' }, { message: 'c' }]), 'undo b c');
  assert.equal(shownAfter([undo, undo, undo, { message: 'a' }, { message: 'b' }]), 'undo undo undo b');
  assert.equal(shownAfter([{ message: 'a' }, undo, { message: 'b' }, undo, undo]), 'undo undo undo');
});
