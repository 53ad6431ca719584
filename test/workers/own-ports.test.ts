// The ports of this machine that no delivery may reach.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { OWN_PORT, ownPortsOf } from '#workers/own-ports.ts';

const NOTHING = { port: 8080, admin: null, grpc: null, smtpUrl: null, liveTimingUrl: null };
const DATABASE = { port: 5432 };

test('the port of the database is blocked for any name of the machine, also when it is used over a Unix socket', () => {
  for (const host of ['127.0.0.1', 'localhost', '[::1]', 'this-machine.example.com', '%2Frun%2Fpostgresql']) {
    for (const [port, expected] of [
      ['', 5432],
      [':6543', 6543],
    ] as const) {
      const ports = ownPortsOf(NOTHING, parseDatabaseUrl(`postgres://service@${host}${port}/service`));
      assert.ok(ports.includes(expected), `${host}${port}`);
    }
  }
  const ports = ownPortsOf(NOTHING, parseDatabaseUrl('postgres://service@localhost:6543/service?host=/run/postgresql'));
  assert.ok(ports.includes(6543));
});

test('the ports of all servers of the database are blocked', () => {
  const ports = ownPortsOf(NOTHING, parseDatabaseUrl('postgres://service@localhost:6543,db2:6544,db3/service'));
  for (const port of [6543, 6544, 5432]) assert.ok(ports.includes(port), String(port));
});

test('the ports of the service, operators, mail and live timing are blocked; without a port in the URL, that of its scheme', () => {
  const admin = { host: '127.0.0.1', port: 8090, token: null };
  const grpc = { port: 8091, tls: null };
  const ports = ownPortsOf(
    { ...NOTHING, admin, grpc, smtpUrl: 'smtp://localhost', liveTimingUrl: 'http://localhost/hub' },
    DATABASE,
  );
  assert.deepEqual([...ports], [8080, 8090, 5432, 587, 80, 8091]);
  assert.deepEqual(
    [
      ...ownPortsOf(
        { ...NOTHING, smtpUrl: 'smtps://mail.example.com', liveTimingUrl: 'https://127.0.0.1:9443/hub' },
        DATABASE,
      ),
    ],
    [8080, 0, 5432, 465, 9443, 0],
  );
  assert.ok(ownPortsOf({ ...NOTHING, smtpUrl: 'smtp://user:secret@127.0.0.1:2525' }, DATABASE).includes(2525));
});

test('every thread sees a port that becomes known only after the start', () => {
  const ports = ownPortsOf({ ...NOTHING, port: 0 }, DATABASE);
  const elsewhere = new Uint16Array(ports.buffer);
  ports[OWN_PORT.service] = 40_123;
  assert.ok(elsewhere.includes(40_123));
});
