// The commands in the documents, typed exactly as written, against a service started as the documents say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seen, walk } from './walk.ts';

/** Documents that a reader follows one after the other, with the same service. */
const WALKS = [
  ['CONTRIBUTING.md'],
  ['README.md', 'docs/getting-started.md', 'docs/api.md', 'docs/listen.md'],
  ['docs/live-sessions.md'],
];

// The walks spend most of their time waiting.
test('the commands in the documents work in order and print what they show', { concurrency: true }, async (t) => {
  await Promise.all(WALKS.map((paths) => t.test(paths.join(', '), (walking) => walk(walking, paths))));
});

test('output is compared line by line; `...` stands for anything on a line, or for any lines', () => {
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
