// What is changed in a form over values that others change, too.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterSave, type Edits, isUnchanged, shownOf } from '#api/console/app/data/edits.ts';

interface Fields {
  readonly url: string;
  readonly note: string;
}

const NOW: Fields = { url: 'https://a.example', note: '' };
const edits = (open: Partial<Fields>, saved: Partial<Fields> = {}): Edits<Fields> => ({ open, saved });

test('what is not edited is shown as it is now', () => {
  assert.deepEqual(shownOf(NOW, edits({ note: 'x' })), { url: 'https://a.example', note: 'x' });
  assert.deepEqual(shownOf({ url: 'https://b.example', note: 'y' }, edits({ note: 'x' })), {
    url: 'https://b.example',
    note: 'x',
  });
});

test('what is saved is shown until it is loaded, and what was typed meanwhile stays to be saved', () => {
  const sent = { note: 'x' };
  const saved = afterSave(edits(sent), sent);
  assert.equal(isUnchanged(saved), true);
  assert.equal(shownOf(NOW, saved).note, 'x');
  const typed = afterSave(edits({ note: 'xy', url: 'https://c.example' }), sent);
  assert.deepEqual(typed.open, { note: 'xy', url: 'https://c.example' });
  assert.equal(shownOf(NOW, typed).note, 'xy');
});
