import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { until, withApi } from '#test/support/api-harness.ts';
import { PASSWORD, someEmail } from '#test/support/people.ts';

const api = await withApi({ after });

test('/ is a page of this service alone: it leads to the documentation and to the sign-up', async () => {
  const { status, headers, body } = await api.call('GET', '/');
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(headers.get('content-security-policy')!, /default-src 'self'/);
  assert.doesNotMatch(body, /https?:\/\//, 'no other host');
  assert.deepEqual(body.match(/<script[^>]*>[^<]*/g), ['<script src="home.js">']);
  for (const [, place] of body.matchAll(/(?:href|src)="([^"]+)"/g)) {
    assert.equal((await api.call('GET', `/${place}`)).status, 200, place);
  }
  assert.match(body, /<meta name="viewport"/);
});

test('the form signs up and says what happens next, or why not', async () => {
  const script = (await api.call('GET', '/home.js')).body as string;
  const email = someEmail();
  const fields: Record<string, Record<string, unknown>> = {
    email: { value: email },
    password: { value: 'short' },
    tos: { checked: true },
    privacy: { checked: true },
    aup: { checked: true },
    submit: {},
    message: { textContent: '' },
  };
  let submit = (_: { preventDefault: () => void }) => {};
  fields['sign-up'] = { addEventListener: (_: string, listener: typeof submit) => (submit = listener) };
  runInNewContext(script, {
    document: { getElementById: (id: string) => fields[id] },
    fetch: (url: string, options: RequestInit) => fetch(new URL(url, `${api.address}/`), options),
  });
  const said = async (part: string) => {
    submit({ preventDefault() {} });
    await until(() => String(fields.message!.textContent).includes(part));
  };
  await said('password must have at least 8 characters');
  assert.equal(fields.submit!.disabled, false);
  assert.equal(api.mailer.sent.length, 0);
  fields.password!.value = PASSWORD;
  await said(`on its way to ${email}`);
  await until(() => api.mailer.sent.length === 1);
});
