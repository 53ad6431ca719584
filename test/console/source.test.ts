// The console's source: its texts are in one table, what comes from outside stays text, and it knows no other host.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const APP = fileURLToPath(new URL('../../api/console/app/', import.meta.url));
const files = globSync('**/*.{ts,tsx}', { cwd: APP });
const source = (file: string): string =>
  readFileSync(`${APP}${file}`, 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '');

const WORDS_BETWEEN_TAGS = />([^<>{}()=;|]*[A-Za-z]{2}[^<>{}()=;|]*)<\//g;
const WORDS_IN_ATTRIBUTES = /\s(?:title|label|placeholder|alt|hint|aria-label)="([^"]*[A-Za-z]{2}[^"]*)"/g;

function wordsIn(text: string): string[] {
  return [WORDS_BETWEEN_TAGS, WORDS_IN_ATTRIBUTES].flatMap((words) =>
    [...text.matchAll(words)].map(([, word]) => word!),
  );
}

test('what people read is in text/, nowhere else', () => {
  const views = files.filter((file) => file.endsWith('.tsx'));
  assert.ok(views.length > 20);
  assert.deepEqual(
    views.flatMap((file) => wordsIn(source(file)).map((words) => `${file}: ${words.trim()}`)),
    [],
  );
});

test('words between tags and in attributes are found', () => {
  assert.deepEqual(wordsIn('<p>Hello there</p>'), ['Hello there']);
  assert.deepEqual(wordsIn('<Field label="Address" />'), ['Address']);
  assert.deepEqual(wordsIn('<p>{text.parts.loading}</p>; const a = (x: Map<string, number>) => x;'), []);
});

test('nothing is put into a page as markup, and no script is made from text', () => {
  const wrong =
    /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/;
  assert.deepEqual(
    files.filter((file) => wrong.test(source(file))),
    [],
  );
});

test('secrets and tokens are kept in no storage', () => {
  const keeping = files.filter((file) => /localStorage|sessionStorage|indexedDB|document\.cookie/.test(source(file)));
  assert.deepEqual(keeping, ['data/theme.ts']);
});
