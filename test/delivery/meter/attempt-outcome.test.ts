// The few words that attempts are counted by.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptOutcome } from '#engine/delivery/meter/attempt-outcome.ts';

test('every status is one of a few words', () => {
  const words = [200, 204, 301, 400, 410, 429, 404, 500, 503, 101, 999].map((status) => attemptOutcome(status, null));
  assert.deepEqual(words, [
    ...['delivered', 'delivered', 'status_3xx', 'status_4xx', 'status_410', 'status_429', 'status_4xx'],
    ...['status_5xx', 'status_5xx', 'other', 'other'],
  ]);
});

test('and so is every way in which no answer comes', () => {
  const expected: Record<string, string> = {
    timeout: 'timeout',
    ECONNREFUSED: 'refused',
    ECONNRESET: 'reset',
    EPIPE: 'reset',
    'the connection was closed at once': 'reset',
    'the connection was closed before the answer was whole': 'reset',
    EHOSTUNREACH: 'unreachable',
    ENOTFOUND: 'unresolved',
    EAI_AGAIN: 'unresolved',
    CERT_HAS_EXPIRED: 'tls',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
    ERR_TLS_CERT_ALTNAME_INVALID: 'tls',
    ERR_SSL_WRONG_VERSION_NUMBER: 'tls',
    EPROTO: 'tls',
    'localhost is served in replays only': 'not_allowed',
    'port 8080 of this machine belongs to the service': 'not_allowed',
    '10.0.0.1 is not a public address': 'not_allowed',
    'hooks.example.com has an address that is not allowed': 'not_allowed',
    'hooks.example.com has too many addresses': 'not_allowed',
    'the answer is not HTTP/1.1': 'bad_answer',
    'a chunk has no size': 'bad_answer',
    EMFILE: 'other',
    '': 'other',
  };
  for (const [error, word] of Object.entries(expected)) assert.equal(attemptOutcome(null, error), word, error);
});
