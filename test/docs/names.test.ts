// The documents against the code: everything they name exists, and a reader can find every document.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentPaths, read } from './documents.ts';
import { reachable, SETTINGS, wrongNames } from './named-things.ts';

const README_WORDS_MAX = 900;

test('every link works, and every file, command, setting, metric, error code, feed and route in the documents exists', () => {
  assert.deepEqual(
    documentPaths().flatMap((path) => wrongNames(path, read(path))),
    [],
  );
});

test('a name of something that does not exist is reported with its line', () => {
  const wrong: readonly (readonly [text: string, problem: RegExp])[] = [
    ['a [link](nowhere.md)', /leads to nowhere\.md/],
    ['an [anchor](README.md#no-such-heading)', /no heading #no-such-heading/],
    ['`engine/base/no-such-file.ts`', /no file or folder/],
    ['`no-such-file.ts`', /no file no-such-file\.ts/],
    ['`test/no-such-folder/*.test.ts`', /no file or folder/],
    ['`npm run no-such-script`', /no script no-such-script/],
    ['    npm run -s admin -- account destroy you@example.org', /no command account destroy/],
    ['`npm run bench -- no-such-bench`', /no bench no-such-bench/],
    ['    NO_SUCH_SETTING=1 npm start', /no setting NO_SUCH_SETTING/],
    ['`NO_SUCH_SETTING`', /nothing is called NO_SUCH_SETTING/],
    ['`slipstream_no_such_metric`', /no metric slipstream_no_such_metric/],
    ['`no_such_metric_total`', /nothing is called no_such_metric_total/],
    ['409 `not_found`', /no error 409 has the code not_found/],
    ['`timing.no-such-feed`', /no feed timing\.no-such-feed/],
    ['`PUT /v1/webhooks`', /no route PUT/],
    ['`/v1/no-such-route`', /no route/],
    ['    curl localhost:8080/v1/no-such-route', /no route/],
    ['`noSuchName`', /nothing is called noSuchName/],
  ];
  for (const [text, problem] of wrong) {
    const found = wrongNames('docs.md', `# Title\n\n${text}\n`);
    assert.equal(found.length, 1, `${text}: ${found.join('; ')}`);
    assert.match(found[0]!, problem);
  }
  assert.match(wrongNames('docs.md', 'one\n\ntwo `noSuchName`\n')[0]!, /^docs\.md:3: /);
});

test('names of things that exist are not reported', () => {
  const right = `# Title

[README](README.md#licence), [here](#title), [elsewhere](https://example.com/#top), \`engine/base/\`, \`limits.ts\`, \`test/api/*.test.ts\`,
\`npm run admin -- account create --email a@example.org\`, \`HEADER_PREFIX\`, \`slipstream_attempts_total\`, \`attempts_total\`,
404 \`not_found\`, 409 \`session_busy\`, \`timing.data\`, \`analytics.*\`, \`GET /v1/webhooks/ID/logs\`, \`/healthz\`, \`webhookSecret\`.

    ADMIN_PORT=8090 npm start
    curl localhost:8080/v1/simulate/runs/$RUN
`;
  assert.deepEqual(wrongNames('docs.md', right), []);
});

test('links from the README lead to every document for readers', () => {
  const found = reachable();
  const forReaders = documentPaths().filter((path) => /^(\w+\.md|docs\/.*|bench\/README\.md)$/.test(path));
  assert.deepEqual(
    forReaders.filter((path) => !found.has(path)),
    [],
  );
});

test('docs/operating.md names every setting', () => {
  const text = read('docs/operating.md');
  assert.deepEqual(
    SETTINGS.filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});

test(`the README has at most ${README_WORDS_MAX} words`, () => {
  const words = read('README.md').split(/\s+/).filter(Boolean);
  assert.ok(words.length <= README_WORDS_MAX, `${words.length} words`);
});
