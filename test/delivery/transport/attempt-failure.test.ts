// The failure codes of network errors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '#engine/delivery/transport/attempt-failure.ts';
import { EgressRefused } from '#engine/delivery/transport/egress-guard.ts';
import { TooManyAddresses } from '#engine/delivery/transport/name-lookup.ts';

test('a system error is classified by its code; the log keeps that code itself', () => {
  const expected: Record<string, string> = {
    ECONNREFUSED: 'connection_refused',
    ECONNRESET: 'connection_reset',
    EPIPE: 'connection_reset',
    EHOSTUNREACH: 'unreachable',
    ETIMEDOUT: 'unreachable',
    ENOTFOUND: 'name_not_resolved',
    EAI_AGAIN: 'name_not_resolved',
    CERT_HAS_EXPIRED: 'tls',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
    ERR_TLS_CERT_ALTNAME_INVALID: 'tls',
    ERR_SSL_WRONG_VERSION_NUMBER: 'tls',
    EPROTO: 'tls',
    EMFILE: 'other',
  };
  for (const [code, failure] of Object.entries(expected)) {
    const error = Object.assign(new Error('a sentence that may change'), { code });
    assert.deepEqual(failureOf(error), { kind: 'failed', code: failure, detail: code });
  }
});

test('a refusal of ours gives its reason; an error without a code gives its message', () => {
  for (const refusal of [new EgressRefused('10.0.0.1 is not a public address'), new TooManyAddresses('example.com')]) {
    assert.deepEqual(failureOf(refusal), { kind: 'failed', code: 'not_allowed', detail: refusal.message });
  }
  assert.deepEqual(failureOf(new Error('odd')), { kind: 'failed', code: 'other', detail: 'odd' });
});
