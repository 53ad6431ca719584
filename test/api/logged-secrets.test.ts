// An endpoint that was rotated at 10:00 and at 12:00 on the third day.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsAt } from '#api/webhooks/logged-secrets.ts';
import { ROTATION_SETTLES_MS } from '#engine/base/limits.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CREATED = Date.UTC(2026, 5, 1);
const FIRST = CREATED + 10 * HOUR_MS;
const SECOND = FIRST + 2 * DAY_MS;
const [current, before] = [Buffer.from('current'), Buffer.from('before')];

const twice = {
  secretSealed: current,
  previousSecretSealed: before,
  previousSince: new Date(FIRST),
  rotatedAt: new Date(SECOND),
  createdAt: new Date(CREATED),
};
const once = { ...twice, previousSince: new Date(CREATED) };
const never = { ...once, previousSecretSealed: null, previousSince: null, rotatedAt: null };

/** Names of the secrets, the second with a question mark if it is missing. */
function signers(webhook: Parameters<typeof secretsAt>[0], atMs: number): string {
  const secrets = secretsAt(webhook, atMs);
  if (secrets.kind === 'gone') return secrets.why;
  const second = secrets.previous !== null && atMs < secrets.previous.untilMs ? ` ${secrets.previous.sealed}` : '';
  return `${secrets.current}${second}${secrets.isWhole ? '' : ' ?'}`;
}

test('an endpoint that was never rotated has one secret', () => {
  assert.equal(signers(never, CREATED), 'current');
  assert.equal(signers(never, SECOND), 'current');
});

test('an attempt is signed with the secret of its time, and for a day after a rotation with the one before, too', () => {
  for (const [atMs, expected] of [
    [CREATED, 'before'],
    [SECOND - 1, 'before'],
    [SECOND, 'secret_changing'],
    [SECOND + ROTATION_SETTLES_MS - 1, 'secret_changing'],
    [SECOND + ROTATION_SETTLES_MS, 'current before'],
    [SECOND + DAY_MS - 1, 'current before'],
    [SECOND + DAY_MS, 'current'],
  ] as const)
    assert.equal(signers(once, atMs), expected, new Date(atMs).toISOString());
});

test('what was signed with a secret that was replaced twice cannot be signed again', () => {
  for (const [atMs, expected] of [
    [CREATED, 'secret_gone'],
    [FIRST - 1, 'secret_gone'],
    [FIRST, 'secret_changing'],
    [FIRST + ROTATION_SETTLES_MS, 'before ?'],
    [FIRST + DAY_MS - 1, 'before ?'],
    [FIRST + DAY_MS, 'before'],
    [SECOND + DAY_MS, 'current'],
  ] as const)
    assert.equal(signers(twice, atMs), expected, new Date(atMs).toISOString());
});

test('without the time of the rotation before, only the secret in force is known', () => {
  const unknown = { ...twice, previousSince: null };
  assert.equal(signers(unknown, SECOND - 1), 'secret_gone');
  assert.equal(signers(unknown, SECOND + DAY_MS), 'current');
});
