// Which errors of a driver, a socket or a file mean that the database is away.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDatabaseOutage } from '#api/http/database-outage.ts';

const failed = (details: object) => Object.assign(new Error('failed'), details);

test('a lost connection, a server that stops and a missing socket are outages', () => {
  for (const details of [
    { code: 'CONNECTION_CLOSED' },
    { code: '57P01' },
    { code: '08006' },
    { code: 'NO_PRIMARY' },
    { code: 'ENOENT', syscall: 'connect' },
  ])
    assert.ok(isDatabaseOutage(failed(details)), JSON.stringify(details));
});

test('a missing file, a broken rule of the schema and our own bugs are none', () => {
  for (const details of [{ code: 'ENOENT', syscall: 'open' }, { code: '23505' }, { code: '42703' }, {}])
    assert.ok(!isDatabaseOutage(failed(details)), JSON.stringify(details));
  assert.ok(!isDatabaseOutage('57P01'));
});
