// "Errors" of the interface, 503: payments on a service without settings for them, and with only some of the settings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { contractService } from '#test/support/contract-service.ts';
import { temporaryDataDir } from '#test/support/database.ts';
import { startService } from '#test/support/service-process.ts';
import { BEHIND_PROXY, member } from './visitor.ts';

const service = await contractService({ after }, BEHIND_PROXY);
const { call } = service;

test('503: payment checkout and portal are not configured', async () => {
  const { cookie } = await member(service);
  for (const page of ['checkout', 'portal']) {
    const { status, body } = await call('POST', `/console/billing/${page}`, undefined, { cookie });
    assert.deepEqual([status, body.code, body.statusCode], [503, 'billing_not_configured', 503]);
    assert.match(body.error, /not configured/);
    const stranger = await call('POST', `/console/billing/${page}`);
    assert.deepEqual(
      [stranger.status, stranger.body.code],
      [401, 'not_signed_in'],
      'a caller who is not signed in does not learn it',
    );
  }
});

test('503: events of the payment provider are refused as well', async () => {
  const event = await fetch(`${service.baseUrl}/billing/stripe-events`, { method: 'POST', body: '{}' });
  assert.equal(event.status, 503);
  assert.equal(((await event.json()) as { code: string }).code, 'billing_not_configured');
});

test('an incomplete payment configuration prevents the start; the error names the required settings and no secret', async () => {
  const settings = {
    STRIPE_SECRET_KEY: 'sk_test_half',
    STRIPE_WEBHOOK_SECRET: 'whsec_half',
    STRIPE_PRICE_ID: 'price_half',
  };
  for (const missing of Object.keys(settings)) {
    const half = { ...settings, [missing]: '' };
    await assert.rejects(startService(temporaryDataDir(), half), (error: Error) => {
      assert.match(error.message, /ended with 1/);
      for (const name of Object.keys(settings)) assert.ok(error.message.includes(name), error.message);
      assert.doesNotMatch(error.message, /_half|\n\s+at /);
      return true;
    });
  }
});
