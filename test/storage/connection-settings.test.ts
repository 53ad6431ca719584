import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeConnection, parseDatabaseUrl } from '#engine/storage/connection-settings.ts';
import { StorageError } from '#engine/storage/storage-error.ts';

test('a full DATABASE_URL is read part by part', () => {
  assert.deepEqual(
    parseDatabaseUrl('postgres://race%40work:p%3Ass%25@db.example.com:6432/timing?sslmode=verify-full'),
    {
      setting: 'DATABASE_URL',
      host: 'db.example.com',
      port: 6432,
      user: 'race@work',
      password: 'p:ss%',
      database: 'timing',
      tls: 'verify-full',
    },
  );
});

test('omitted parts have their defaults', () => {
  assert.deepEqual(parseDatabaseUrl('postgresql://race@[::1]'), {
    setting: 'DATABASE_URL',
    host: '::1',
    port: 5432,
    user: 'race',
    password: null,
    database: 'race',
    tls: 'prefer',
  });
});

test('without sslmode the certificate of another machine is verified, and that of this one may be missing', () => {
  const tlsOf = (url: string) => parseDatabaseUrl(url).tls;
  for (const host of ['db.example.com', '10.0.0.7', '[2001:db8::1]', 'localhost.example.com'])
    assert.equal(tlsOf(`postgres://race@${host}/timing`), 'verify-full', host);
  for (const host of ['localhost', '127.0.0.1', '[::1]'])
    assert.equal(tlsOf(`postgres://race@${host}/timing`), 'prefer');
  assert.equal(tlsOf('postgres://race@db.example.com/timing?sslmode=disable'), 'off');
});

test('a socket folder is given as host', () => {
  const settings = parseDatabaseUrl('postgres://race@localhost/timing?host=/run/postgresql');
  assert.equal(settings.host, '/run/postgresql');
  assert.equal(settings.tls, 'off');
  assert.equal(describeConnection(settings), 'database timing at /run/postgresql');
});

test('several servers are read with their own ports, and the certificate of each is verified', () => {
  const text = 'postgres://race:p%3Ass@db1.example.com:6432,db2.example.com,[2001:db8::1]:5433/timing';
  const settings = parseDatabaseUrl(`${text}?target_session_attrs=read-write`);
  assert.deepEqual(settings.group?.servers, [
    { host: 'db1.example.com', port: 6432 },
    { host: 'db2.example.com', port: 5432 },
    { host: '2001:db8::1', port: 5433 },
  ]);
  const { host, port, user, password, database, tls } = settings;
  assert.deepEqual(
    { host, port, user, password, database, tls },
    {
      host: 'db1.example.com',
      port: 6432,
      user: 'race',
      password: 'p:ss',
      database: 'timing',
      tls: 'verify-full',
    },
  );
  assert.equal(
    describeConnection(settings),
    'database timing at db1.example.com:6432, db2.example.com:5432, [2001:db8::1]:5433',
  );
  assert.equal(parseDatabaseUrl('postgres://race@localhost:1,127.0.0.1:2/timing').tls, 'prefer');
  assert.equal(parseDatabaseUrl('postgres://race@localhost:1,db2/timing').tls, 'verify-full');
  assert.equal(parseDatabaseUrl('postgres://race@db1/timing').group, undefined);
  assert.equal(parseDatabaseUrl('postgres://race@db1/timing?target_session_attrs=primary').group?.servers.length, 1);
});

test('invalid URLs are refused in messages that never repeat the password', () => {
  const bad: [string, RegExp][] = [
    ['hunter2', /not a URL of the form/],
    ['mysql://race:hunter2@db/timing', /begins with mysql:\/\//],
    ['postgres://:hunter2@db/timing', /names no user/],
    ['postgres:///timing', /names no host/],
    ['postgres://race:hunter2%@db/timing', /must be written as %25/],
    ['postgres://race:hunter2@db/timing?sslmode=yes', /sslmode must be one of/],
    ['postgres://race:hunter2@db/timing?sslrootcert=ca.pem', /sslrootcert is not supported.*NODE_EXTRA_CA_CERTS/],
    ['postgres://race:hunter2@db:99999/timing', /not a URL of the form/],
    ['postgres://race:hunter2@db1,db2:99999/timing', /not a URL of the form/],
    ['postgres://race:hunter2@db1,,db3/timing', /not a URL of the form/],
    ['postgres://race:hunter2@db1:5432,db1/timing', /names db1:5432 twice/],
    ['postgres://race:hunter2@db1,db2/timing?host=/run/postgresql', /host names one socket folder/],
    ['postgres://race:hunter2@a,b,c,d,e,f,g,h,i/timing', /names 9 servers; 8 are the most/],
    ['postgres://race:hunter2@db1,db2/timing?target_session_attrs=any', /must be one of read-write, primary/],
  ];
  for (const [url, message] of bad) {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => {
        assert.ok(error instanceof StorageError, url);
        assert.match(error.message, message);
        assert.match(error.message, /^DATABASE_URL: /);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  }
});
