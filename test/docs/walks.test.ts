// The commands of the documents, typed as they stand there, against a service that is started as they say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seen, walk } from './walk.ts';

/** Documents that a reader goes through one after the other, with the same service. */
const WALKS = [['CONTRIBUTING.md'], ['README.md', 'docs/getting-started.md', 'docs/api.md'], ['docs/live-sessions.md']];

// Most of the time they wait.
test('commands of the documents work, in order, and show what the documents say', { concurrency: true }, async (t) => {
  await Promise.all(WALKS.map((paths) => t.test(paths.join(', '), (walking) => walk(walking, paths))));
});

test('what is to be seen is compared line by line; dots stand for anything on a line, or for lines', () => {
  const whole = (text: string) => seen(text, 'whole');
  assert.match('cli_01\n', whole('cli_...\n'));
  assert.match('{"a":[1.5]}', whole('{"a":[1.5]}'));
  assert.match('a\nb\nc\n', whole('a\n...\nc'));
  assert.match('a\nb\nc', whole('a\n...'));
  assert.doesNotMatch('a\nb\n', whole('a'));
  assert.doesNotMatch('{"a":[1x5]}', whole('{"a":[1.5]}'));
  assert.doesNotMatch('a\nb\nc\n', whole('a\nc'));
  assert.match('before\nready on 8080\nafter\n', seen('ready on ...', 'part'));
  assert.doesNotMatch('not ready on 8080\n', seen('ready on ...', 'part'));
});
