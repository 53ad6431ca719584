// The page on which operations are tried out, and the OpenAPI document behind it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { withApi } from '#test/support/api-harness.ts';

const api = await withApi({ after });
const page = await fetch(`${api.address}/docs/try`);
const html = await page.text();
const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!);

test('the page to try operations has a content security policy that allows only its own files', () => {
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /^default-src 'self'/);
  assert.doesNotMatch(policy, /script-src|unsafe-eval/);
  for (const [, attributes, inside] of html.matchAll(/<script([^>]*)>([^<]*)</g)) {
    assert.match(attributes!, /src=/);
    assert.equal(inside, '');
  }
});

test('this service serves every file of the page, complete and with its content type', async () => {
  assert.equal(addresses.length, 7);
  const types = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', png: 'image/png' };
  for (const address of addresses) {
    assert.doesNotMatch(address, /^(\w+:|\/)/, 'addresses are relative');
    const response = await fetch(new URL(address, page.url));
    const bytes = new Uint8Array(await response.arrayBuffer());
    assert.equal(response.status, 200, address);
    if (address === '../docs') continue;
    assert.equal(response.headers.get('content-type'), types[address.split('.').at(-1) as keyof typeof types]);
    assert.equal(Number(response.headers.get('content-length')), bytes.length);
    assert.ok(bytes.length > 100);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  }
  const bundle = await fetch(`${api.address}/docs/swagger-ui-bundle.js`);
  assert.match(await bundle.text(), /SwaggerUIBundle/);
  assert.equal(bundle.headers.get('cache-control'), 'max-age=3600');
});

test('the page contacts no other host, neither for the document nor for a validator', async () => {
  const script = await (await fetch(`${api.address}/docs/start.js`)).text();
  assert.doesNotMatch(html + script.replaceAll(/^\/\/.*$/gm, ''), /\/\/[a-z]/i);
  assert.match(script, /validatorUrl: null/);
  const url = /url: '([^']+)'/.exec(script)![1]!;
  const document = await fetch(new URL(url, page.url));
  assert.equal(document.headers.get('content-type'), 'application/json');
  assert.equal(((await document.json()) as { openapi: string }).openapi, '3.1.1');
});

test('no other path below /docs is served', async () => {
  const unknown = ['/docs/', '/docs/package.json', '/docs/..%2fpackage.json', '/docs/index.html', '/docs/a/b'];
  for (const path of [...unknown, '/docs/feeds/', '/docs/feeds/no.such', '/docs/reference', '/docs/operating']) {
    assert.equal((await api.call('GET', path)).body.code, 'not_found', path);
  }
});
