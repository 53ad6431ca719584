// The documentation for customers, page by page, as a browser without scripts sees it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { GUIDES } from '#api/docs/portal/guides.ts';
import { sectionsOf } from '#api/docs/portal/marked-document.ts';
import { REFUSALS } from '#api/http/api-error.ts';
import { realPayload } from '#api/webhooks/sample-payload.ts';
import { FEEDS, feedsOf } from '#schemas/webhook/feeds.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import { withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after }, { headerPrefix: 'X-Race' });

interface Page {
  readonly url: URL;
  readonly html: string;
  readonly headers: Headers;
}

/** Every page that links lead to, from `/docs` on. */
async function pages(): Promise<ReadonlyMap<string, Page>> {
  const found = new Map<string, Page>();
  const waiting = [`${api.address}/docs`];
  for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
    const url = new URL(address);
    if (found.has(url.pathname)) continue;
    const response = await fetch(url);
    assert.equal(response.status, 200, address);
    if (response.headers.get('content-type') !== 'text/html; charset=utf-8') continue;
    const html = await response.text();
    found.set(url.pathname, { url, html, headers: response.headers });
    for (const [, href] of html.matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const target = new URL(href!, url);
      if (target.origin === url.origin) waiting.push(target.origin + target.pathname);
    }
  }
  return found;
}

const all = await pages();
const guides = [...all].filter(([path]) => path.startsWith('/docs') && path !== '/docs/try');

test('every guide, feed and resource has a page, and links lead to each of them', () => {
  const expected = [
    ...GUIDES.filter(({ path }) => path !== 'more').map(({ path }) => `/docs/${path}`),
    ...feedsOf(['f1']).map(({ feedId }) => `/docs/feeds/${feedId}`),
    ...['accounts', 'tokens', 'webhooks', 'simulate', 'predictions'].map((name) => `/docs/reference/${name}`),
  ];
  assert.deepEqual(
    expected.filter((path) => !all.has(path)),
    [],
  );
});

test('every anchor that a link names exists on its page', () => {
  const wrong: string[] = [];
  for (const [path, { url, html }] of guides) {
    for (const [, href] of html.matchAll(/ href="([^"]*#[^"/]+)"/g)) {
      const target = new URL(href!, url);
      const there = all.get(target.pathname);
      if (there?.html.includes(` id="${decodeURIComponent(target.hash.slice(1))}"`) !== true)
        wrong.push(`${path}: ${href}`);
    }
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    assert.equal(new Set(ids).size, ids.length, `${path} uses an id twice`);
  }
  assert.deepEqual(wrong, []);
});

test('pages allow no inline script or style, have none, and load nothing from other hosts', () => {
  for (const [path, { html, headers }] of guides) {
    assert.match(headers.get('content-security-policy')!, /^default-src 'self'; base-uri 'none'/, path);
    assert.doesNotMatch(headers.get('content-security-policy')!, /unsafe/, path);
    assert.doesNotMatch(html, /<style|<script(?! src="[^"]+" defer><\/script>)| style="| on\w+="/, path);
    assert.doesNotMatch(html, / src="\w+:/, path);
    assert.doesNotMatch(html, /<link [^>]*href="\w+:/, path);
    assert.match(html, /<meta name="viewport"/, path);
    assert.doesNotMatch(html, /<!-- (test|operators)|>undefined<|\[object Object\]/, path);
  }
});

test('every section that a guide names stands in its document', () => {
  const missing = GUIDES.flatMap(({ path, parts }) =>
    parts.flatMap(({ file, sections = [] }) => {
      const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
      const titles = sectionsOf(text).map(({ title }) => title);
      return sections.filter((title) => !titles.includes(title)).map((title) => `${path}: ${file} has no "${title}"`);
    }),
  );
  assert.deepEqual(missing, []);
});

test('every sentence of the documents for customers is on a page, and nothing for operators', () => {
  const shown = [...all.values()].map(({ html }) => html).join();
  for (const file of ['receiving.md', 'api.md']) {
    const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), 'utf8');
    for (const { headings } of sectionsOf(text)) {
      for (const { id } of headings) assert.ok(shown.includes(` id="${id}"`), `${file}: ${id}`);
    }
  }
  for (const word of ['STRIPE_SECRET_KEY', 'npm run admin', '.data/outbox', 'operating.md']) {
    assert.ok(!shown.includes(word), word);
  }
});

test('a page calls headers and addresses as this service does', () => {
  const { html } = all.get('/docs/deliveries')!;
  assert.match(html, /X-Race-Signature/);
  assert.doesNotMatch(html, /X-Service/);
});

test('the page of a feed shows a real payload, all its fields, and what the demo race measured', () => {
  for (const { feedId } of feedsOf(['f1'])) {
    const { html } = all.get(`/docs/feeds/${feedId}`)!;
    const { sessionId } = realPayload(feedId);
    assert.ok(html.includes(`&quot;sessionId&quot;: &quot;${sessionId}&quot;`), feedId);
    assert.match(html, /<dt><code>sequence<\/code>/, feedId);
    assert.match(html, /per minute|does not have this feed/, feedId);
  }
  assert.match(all.get('/docs/feeds/timing.data')!.html, /7,\d+ of 8,\d+/);
});

test('blocks in several languages one after the other stand together, a command and its output do not', () => {
  const fence = (language: string) => `\`\`\`${language}\nx\n\`\`\`\n`;
  const [section] = sectionsOf(
    `## A\n\n${fence('python')}\n<!-- test: receiver -->\n\n${fence('go')}\n${fence('text')}`,
  ).slice(1);
  assert.equal(section!.headings.length, 1);
  const { html } = all.get('/docs/quickstart')!;
  assert.doesNotMatch(html, /class="samples"/);
});

test('the search finds feeds, operations, headings and error codes', async () => {
  const rows = (await api.call('GET', '/docs/search.json')).body as [string, string, string, string][];
  for (const [place] of rows) {
    const [path, anchor] = place.split('#');
    const page = all.get(`/docs/${path}`);
    assert.ok(page !== undefined, place);
    if (anchor !== undefined) assert.ok(page.html.includes(` id="${anchor}"`), place);
  }
  const script = (await api.call('GET', '/docs/portal.js')).body as string;
  const found = runInNewContext(
    `${script.slice(script.indexOf('function found'), script.indexOf('function search'))}; found`,
    {
      FOUND_MAX: 12,
    },
  ) as (rows: unknown, typed: string) => [string, string][];
  const first = (typed: string) => found(rows, typed)[0]?.[0];
  assert.equal(first('timing.data'), 'feeds/timing.data');
  assert.equal(first('not_prepared'), 'errors#not_prepared');
  assert.match(first('verify')!, /^verifying/);
  assert.match(first('rotate-secret')!, /^(verifying|reference\/webhooks)#/);
  assert.match(first('Standard Webhooks')!, /^(verifying|deliveries)/);
  assert.match(first('rotate secret')!, /^(verifying#change-the-secret|reference\/webhooks)/);
  assert.match(first('POST /webhooks')!, /^reference\/webhooks/);
  assert.match(first('safety_car_deployed')!, /^feeds\/events\.race/);
  assert.equal(first('xyzzy'), undefined);
  const named = new Set(rows.map(([, title]) => title));
  for (const code of Object.keys(REFUSALS)) assert.ok(named.has(code), code);
  for (const { feedId, seriesId } of FEEDS) if (seriesId === 'f1') assert.ok(named.has(feedId), feedId);
  assert.ok(rows.some(([, , , words]) => words.includes(RACE_EVENT_TYPES.at(-1)!)));
});

test('a browser that has a page already gets 304 while it is the same', async () => {
  for (const path of ['/docs', '/docs/verifying', '/docs/feeds/timing.data', '/docs/portal.css', '/v1/openapi.json']) {
    const first = await fetch(`${api.address}${path}`);
    const etag = first.headers.get('etag')!;
    await first.arrayBuffer();
    const again = await fetch(`${api.address}${path}`, { headers: { 'if-none-match': `"other", W/${etag}` } });
    assert.equal(again.status, 304, path);
    assert.equal(again.headers.get('etag'), etag);
    assert.equal((await again.arrayBuffer()).byteLength, 0);
    const other = await fetch(`${api.address}${path}`, { headers: { 'if-none-match': '"other"' } });
    assert.equal(other.status, 200, path);
    await other.arrayBuffer();
  }
});
