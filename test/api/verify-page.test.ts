import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { until, withApi } from '#test/support/api-harness.ts';
import { BEHIND_PROXY, mailedToken, PASSWORD, post, signUpBody, someEmail } from '#test/support/people.ts';

const api = await withApi({ after }, { front: BEHIND_PROXY });
const script = (await api.call('GET', '/verify-email.js')).body as string;

/** Runs the page as a browser would at this address. Returns its elements and the requests it sent. */
function openPage(path: string) {
  let [press, pressShow] = [() => {}, () => {}];
  let cookie = '';
  const [credentials, token] = [{ textContent: '' }, { textContent: '' }];
  const next = { hidden: true };
  const show = { addEventListener: (_: string, listener: () => void) => (pressShow = listener) };
  const message = { textContent: '' };
  const button = {
    hidden: true,
    disabled: false,
    addEventListener: (_: string, listener: () => void) => (press = listener),
  };
  const asked: string[] = [];
  runInNewContext(script, {
    URL,
    URLSearchParams,
    encodeURIComponent,
    location: new URL(path, api.address),
    document: { getElementById: (id: string) => ({ message, confirm: button, next, show, credentials, token })[id] },
    fetch(url: string, options: RequestInit) {
      asked.push(`${options.method} ${url.split('?')[0]}`);
      const headers = { ...(options.headers as Record<string, string>), ...(cookie !== '' && { cookie }) };
      const answer = fetch(new URL(url, new URL(path, api.address)), { ...options, headers });
      return answer.then((response) => {
        cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
        return response;
      });
    },
  });
  return { message, button, asked, press: () => press(), next, credentials, token, pressShow: () => pressShow() };
}

async function waitingAccount(): Promise<{ email: string; token: string }> {
  const email = someEmail();
  await post(api, '/auth/signup', signUpBody(email));
  return { email, token: await mailedToken(api, email) };
}

test('the page and its script come from this service, and its policy allows no other origin and no inline script', async () => {
  const page = await api.call('GET', '/verify-email?token=abc');
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(page.headers.get('content-security-policy')!, /default-src 'self'/);
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  assert.deepEqual(page.body.match(/<script[^>]*>[^<]*/g), ['<script src="verify-email.js">']);
  assert.doesNotMatch(page.body, /https?:\/\/|abc/);
  assert.match(page.body, /<meta name="viewport"/);
  const { headers } = await api.call('GET', '/verify-email.js');
  assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
});

test('opening the page does not confirm the address, even when its script runs; pressing the button does', async () => {
  const { email, token } = await waitingAccount();
  const page = openPage(`/verify-email?token=${token}`);
  await until(() => !page.button.hidden);
  assert.deepEqual(page.asked, ['GET v1/auth/verify-email']);
  const login = () => post(api, '/auth/login', { email, password: PASSWORD });
  assert.equal((await login()).body.code, 'email_not_verified');
  page.press();
  await until(() => page.message.textContent.includes(`${email} is confirmed`));
  assert.deepEqual([page.asked[1], page.button.hidden], ['POST v1/auth/verify-email', true]);
  assert.equal((await login()).status, 200);
});

test('once the address is confirmed the page leads on: to the credentials, to a token, and to the documentation', async () => {
  const { token } = await waitingAccount();
  const page = openPage(`/verify-email?token=${token}`);
  await until(() => !page.button.hidden);
  assert.equal(page.next.hidden, true);
  page.press();
  await until(() => !page.next.hidden);
  assert.equal(
    page.token.textContent,
    `curl ${api.address}/v1/oauth -u CLIENT_ID:CLIENT_SECRET -d grant_type=client_credentials`,
  );
  page.pressShow();
  await until(() => page.credentials.textContent !== '');
  const [, clientId, clientSecret] = /client id +(cli_\S+)\nclient secret +(\S+)$/.exec(page.credentials.textContent)!;
  assert.ok(page.token.textContent.includes(`-u ${clientId}:${clientSecret} `));
  const issued = await post(api, '/oauth', {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'client_credentials',
  });
  assert.equal(issued.status, 200);
  const late = openPage(`/verify-email?token=${token}`);
  await until(() => late.message.textContent.includes('no longer valid'));
  assert.equal(late.next.hidden, true);
});

test('the page says that a link is no longer valid, both on opening and when the button is pressed too late', async () => {
  const { token } = await waitingAccount();
  const page = openPage(`/verify-email?token=${token}`);
  await until(() => !page.button.hidden);
  await post(api, '/auth/verify-email', { token });
  page.press();
  await until(() => page.message.textContent.includes('no longer valid'));
  for (const path of [`/verify-email?token=${token}`, '/verify-email']) {
    const late = openPage(path);
    await until(() => late.message.textContent.includes('no longer valid'));
    assert.equal(late.button.hidden, true);
  }
});
