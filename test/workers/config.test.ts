import assert from 'node:assert/strict';
import { isAbsolute, resolve } from 'node:path';
import { test } from 'node:test';
import { SHARDS_MAX } from '#engine/base/limits.ts';
import { type Config, ConfigError, readConfig } from '#workers/config.ts';
import { SERVICE_HELP } from '#workers/help.ts';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.equal(error.message, error.problems.join('\n'));
    return error.problems;
  }
  assert.fail(`accepted ${JSON.stringify(env)}`);
}

function accepts<Name extends keyof Config>(env: Record<string, string>, name: Name, value: Config[Name]): void {
  assert.deepEqual(readConfig(env)[name], value, JSON.stringify(env));
}

test('with nothing set every setting has its default', () => {
  const { shards, dataDir, ...rest } = readConfig({});
  assert.ok(shards >= 1 && shards <= SHARDS_MAX);
  assert.equal(dataDir, resolve('.data'));
  assert.deepEqual(rest, {
    host: '127.0.0.1',
    port: 8080,
    databaseUrl: null,
    publicUrl: null,
    siteUrl: null,
    smtpUrl: null,
    mailFrom: 'Slipstream <no-reply@localhost>',
    liveTimingUrl: null,
    liveTimingToken: null,
    replayToLocalhost: true,
    liveToLocalhost: false,
    admin: null,
    grpc: null,
    cluster: null,
    seriesIds: ['f1'],
    season: null,
    headerPrefix: 'X-Service',
    secretKey: null,
    trustProxy: { kind: 'none' },
    corsOrigins: 'none',
    console: true,
    logLevel: 'info',
    metrics: true,
    logRetentionDays: 90,
    runRetentionDays: 90,
    stripe: null,
  });
});

test('an empty variable counts as unset', () => {
  assert.deepEqual(readConfig({ PORT: '', DATABASE_URL: '  ', SECRET_KEY: '' }), readConfig({}));
});

test('good values are read', () => {
  accepts({ HOST: '0.0.0.0' }, 'host', '0.0.0.0');
  accepts({ HOST: '[::1]' }, 'host', '::1');
  accepts({ HOST: 'localhost' }, 'host', 'localhost');
  accepts({ PORT: '0' }, 'port', 0);
  accepts({ PORT: ' 65535 ' }, 'port', 65_535);
  assert.ok(isAbsolute(readConfig({ DATA_DIR: 'somewhere' }).dataDir));
  accepts({ DATABASE_URL: 'postgres://a:b@db/c' }, 'databaseUrl', 'postgres://a:b@db/c');
  accepts({ PUBLIC_URL: 'https://api.example.com/' }, 'publicUrl', 'https://api.example.com');
  accepts({ SITE_URL: 'https://example.com/app/' }, 'siteUrl', 'https://example.com/app');
  accepts({ SMTP_URL: 'smtps://user:pass@mail:465' }, 'smtpUrl', 'smtps://user:pass@mail:465');
  accepts({ MAIL_FROM: 'Race Data <noreply@example.com>' }, 'mailFrom', 'Race Data <noreply@example.com>');
  accepts({ SHARDS: '64' }, 'shards', 64);
  accepts({ SERIES: 'f1, karting' }, 'seriesIds', ['f1', 'karting']);
  accepts({ SERIES: 'karting' }, 'seriesIds', ['karting']);
  accepts({ SEASON: '2026' }, 'season', 2026);
  accepts({ HEADER_PREFIX: 'X-Pitwall' }, 'headerPrefix', 'X-Pitwall');
  accepts({ SECRET_KEY: 'sixteen letters.' }, 'secretKey', ['sixteen letters.']);
  const rotating = { SECRET_KEY: 'sixteen letters.', SECRET_KEY_PREVIOUS: 'sixteen of before' };
  accepts(rotating, 'secretKey', ['sixteen letters.', 'sixteen of before']);
  accepts({ TRUST_PROXY: 'true' }, 'trustProxy', { kind: 'all' });
  accepts({ TRUST_PROXY: 'off' }, 'trustProxy', { kind: 'none' });
  accepts({ TRUST_PROXY: '10.0.0.0/8, ::1' }, 'trustProxy', { kind: 'ranges', ranges: ['10.0.0.0/8', '::1'] });
  accepts({ CORS_ORIGINS: '*' }, 'corsOrigins', 'any');
  const origins = new Set(['https://app.example.com', 'http://localhost:3000']);
  accepts({ CORS_ORIGINS: 'https://App.example.com/, http://localhost:3000' }, 'corsOrigins', origins);
  accepts({ LOG_LEVEL: 'WARN' }, 'logLevel', 'warn');
  accepts({ METRICS: 'off' }, 'metrics', false);
  accepts({ LOG_RETENTION_DAYS: '3650' }, 'logRetentionDays', 3_650);
  accepts({ LOG_RETENTION_DAYS: '30' }, 'runRetentionDays', 30);
  accepts({ LOG_RETENTION_DAYS: '30', RUN_RETENTION_DAYS: '31' }, 'runRetentionDays', 31);
});

test('payments need their three settings together, and none of them is repeated', () => {
  const good = { STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_WEBHOOK_SECRET: 'whsec_b', STRIPE_PRICE_ID: 'price_c' };
  accepts(good, 'stripe', { secretKey: 'sk_test_a', webhookSecret: 'whsec_b', priceId: 'price_c' });
  for (const name of Object.keys(good)) {
    const together = /^STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET and STRIPE_PRICE_ID must be set together$/;
    assert.match(problemsOf({ ...good, [name]: '' }).join('\n'), together);
    const problems = problemsOf({ ...good, [name]: 'hunter2' });
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, new RegExp(`^${name}: is not a Stripe value`));
    assert.doesNotMatch(problems[0]!, /hunter2/);
  }
});

test('overage is billed with a fourth setting, which needs the other three', () => {
  const three = { STRIPE_SECRET_KEY: 'sk_test_a', STRIPE_WEBHOOK_SECRET: 'whsec_b', STRIPE_PRICE_ID: 'price_c' };
  const settings = { secretKey: 'sk_test_a', webhookSecret: 'whsec_b', priceId: 'price_c', overagePriceId: 'price_d' };
  accepts({ ...three, STRIPE_OVERAGE_PRICE_ID: 'price_d' }, 'stripe', settings);
  assert.match(
    problemsOf({ STRIPE_OVERAGE_PRICE_ID: 'price_d' }).join('\n'),
    /^STRIPE_OVERAGE_PRICE_ID: needs STRIPE_/,
  );
  assert.match(problemsOf({ ...three, STRIPE_OVERAGE_PRICE_ID: 'd' }).join('\n'), /^STRIPE_OVERAGE_PRICE_ID: is not/);
});

test('live timing needs its series to be offered', () => {
  const env = { SERIES: 'karting', LIVE_TIMING_URL: 'https://timing.example.com/core' };
  assert.deepEqual(problemsOf(env), ['LIVE_TIMING_URL: live timing is of f1, which is missing in SERIES']);
});

test('each bad value is named with its problem', () => {
  const bad: [string, string, RegExp][] = [
    ['HOST', 'a b', /^HOST: "a b" is not an address or host name/],
    ['HOST', '127.1', /^HOST: /],
    ['PORT', 'abc', /^PORT: "abc" is not a port between 1 and 65535/],
    ['PORT', '65536', /^PORT: /],
    ['SERIES', 'f1,chess', /^SERIES: "chess" is not one of f1, karting$/],
    ['SERIES', 'f1,', /^SERIES: "" is not one of/],
    ['PORT', '-1', /^PORT: /],
    ['PORT', '80.5', /^PORT: /],
    ['PORT', '1e3', /^PORT: /],
    ['DATABASE_URL', 'mysql://a@b/c', /^DATABASE_URL: begins with mysql/],
    ['PUBLIC_URL', 'api.example.com', /^PUBLIC_URL: "api.example.com" is not a URL/],
    ['PUBLIC_URL', 'https://api.example.com/v1', /^PUBLIC_URL: .*without \/v1/],
    ['PUBLIC_URL', 'https://api.example.com/?a=1', /^PUBLIC_URL: .*before \? and #/],
    ['SITE_URL', 'ftp://example.com', /^SITE_URL: /],
    ['SMTP_URL', 'mail.example.com', /^SMTP_URL: not a URL of the form smtp:/],
    ['MAIL_FROM', 'nobody', /^MAIL_FROM: "nobody" is not a sender/],
    ['MAIL_FROM', 'a@b\r\nBcc: c@d', /^MAIL_FROM: /],
    ['SHARDS', '0', /^SHARDS: "0" is not a number of delivery threads between 1 and 64/],
    ['LIVE_TIMING_URL', 'live', /^LIVE_TIMING_URL: /],
    ['SEASON', '26', /^SEASON: "26" is not a year/],
    ['HEADER_PREFIX', 'X Service', /^HEADER_PREFIX: /],
    ['HEADER_PREFIX', 'X-', /^HEADER_PREFIX: /],
    ['HEADER_PREFIX', 'Webhook', /^HEADER_PREFIX: "webhook" is reserved/],
    ['SECRET_KEY', 'short', /^SECRET_KEY: has 5 characters and needs at least 16;/],
    ['SECRET_KEY_PREVIOUS', 'sixteen of before', /^SECRET_KEY_PREVIOUS: needs SECRET_KEY to be set as well/],
    ['TRUST_PROXY', '10', /^TRUST_PROXY: "10" is not true, false or an address/],
    ['TRUST_PROXY', '10.0.0.0/33', /^TRUST_PROXY: /],
    ['CORS_ORIGINS', 'app.example.com', /^CORS_ORIGINS: "app.example.com" is not \* or an origin such as/],
    ['CORS_ORIGINS', 'https://app.example.com/page', /^CORS_ORIGINS: "https:\/\/app.example.com\/page" is not/],
    ['CORS_ORIGINS', 'https://a.example, *', /^CORS_ORIGINS: "\*" is not/],
    ['LOG_LEVEL', 'loud', /^LOG_LEVEL: "loud" is not one of debug, info, warn, error, silent/],
    ['METRICS', 'maybe', /^METRICS: "maybe" is neither on nor off/],
    ['LOG_RETENTION_DAYS', '0', /^LOG_RETENTION_DAYS: "0" is not a number of days between 1 and 3650/],
    ['LOG_RETENTION_DAYS', '3651', /^LOG_RETENTION_DAYS: /],
  ];
  for (const [name, value, message] of bad) {
    const problems = problemsOf({ [name]: value });
    assert.equal(problems.length, 1, name);
    assert.match(problems[0]!, message);
  }
});

test('all bad values are reported together', () => {
  const problems = problemsOf({ PORT: 'abc', SHARDS: 'many', LOG_LEVEL: 'loud' });
  assert.deepEqual(
    problems.map((problem) => problem.split(':')[0]),
    ['PORT', 'SHARDS', 'LOG_LEVEL'],
  );
});

test('a value that may be a secret is never repeated', () => {
  const problems = problemsOf({
    SECRET_KEY: 'hunter2',
    DATABASE_URL: 'postgres://a:hunter2@db/c?sslmode=no',
    SMTP_URL: 'imap://a:hunter2@mail',
    PUBLIC_URL: 'https://a:hunter2@example.com',
    LIVE_TIMING_URL: 'nonsense://a:hunter2@example.com',
    CORS_ORIGINS: 'https://a:hunter2@example.com',
  });
  assert.equal(problems.length, 6);
  assert.doesNotMatch(problems.join('\n'), /hunter2/);
});

test('the message shortens a very long value', () => {
  assert.ok(problemsOf({ PORT: '9'.repeat(5_000) })[0]!.length < 200);
});

test('the help lists every variable that is read', () => {
  const read = new Set<string>();
  readConfig(
    new Proxy({} as Record<string, string | undefined>, {
      get: (_, name) => {
        read.add(String(name));
        return undefined;
      },
    }),
  );
  const listed = [...SERVICE_HELP.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name);
  assert.deepEqual(listed, [...read]);
});

test('the listener for operators needs a port, and a token unless it listens on this machine only', () => {
  accepts({ ADMIN_PORT: '9100' }, 'admin', { host: '127.0.0.1', port: 9100, token: null });
  accepts({ ADMIN_PORT: '0', ADMIN_HOST: '[::1]' }, 'admin', { host: '::1', port: 0, token: null });
  const token = 'a-token-of-operators';
  accepts({ ADMIN_PORT: '9100', ADMIN_HOST: '0.0.0.0', ADMIN_TOKEN: token }, 'admin', {
    host: '0.0.0.0',
    port: 9100,
    token,
  });
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'operators.example.com', '127.0.0.2']) {
    assert.deepEqual(
      problemsOf({ ADMIN_PORT: '9100', ADMIN_HOST: host }).map((problem) => problem.split(':')[0]),
      ['ADMIN_TOKEN'],
      host,
    );
  }
  assert.match(problemsOf({ ADMIN_PORT: '70000' })[0]!, /^ADMIN_PORT: /);
  assert.deepEqual(problemsOf({ PORT: '9100', ADMIN_PORT: '9100' }), ['ADMIN_PORT: is the same as PORT']);
});

test('a setting of a part that is not on is refused, unless the part is on and only its value is bad', () => {
  const token = 'sixteen letters.'.replaceAll(' ', '-');
  assert.deepEqual(problemsOf({ ADMIN_HOST: '127.0.0.1', ADMIN_TOKEN: token, LIVE_TIMING_TOKEN: token }), [
    'ADMIN_HOST: needs ADMIN_PORT to be set as well',
    'ADMIN_TOKEN: needs ADMIN_PORT to be set as well',
    'LIVE_TIMING_TOKEN: needs LIVE_TIMING_URL to be set as well',
  ]);
  for (const [name, needing] of [
    ['ADMIN_PORT', { ADMIN_HOST: '0.0.0.0', ADMIN_TOKEN: token }],
    ['LIVE_TIMING_URL', { LIVE_TIMING_TOKEN: token }],
    ['GRPC_PORT', { GRPC_TLS_CERT: 'a', GRPC_TLS_KEY: 'b' }],
    ['SECRET_KEY', { SECRET_KEY_PREVIOUS: token }],
  ] as const) {
    const problems = problemsOf({ ...needing, [name]: '-' });
    assert.deepEqual(
      problems.map((problem) => problem.split(':')[0]),
      [name],
    );
  }
});

test('replays go to localhost only while no other machine can reach the service, unless the operator says otherwise', () => {
  for (const HOST of ['127.0.0.1', '::1', 'localhost']) accepts({ HOST }, 'replayToLocalhost', true);
  for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'races.example.com']) accepts({ HOST }, 'replayToLocalhost', false);
  const PUBLIC_URL = 'https://races.example.com';
  accepts({ PUBLIC_URL }, 'replayToLocalhost', false);
  accepts({ PUBLIC_URL, REPLAY_TO_LOCALHOST: 'on' }, 'replayToLocalhost', true);
  accepts({ REPLAY_TO_LOCALHOST: 'off' }, 'replayToLocalhost', false);
  assert.match(
    problemsOf({ PUBLIC_URL, LIVE_TO_LOCALHOST: 'on' })[0]!,
    /^LIVE_TO_LOCALHOST: needs REPLAY_TO_LOCALHOST=on/,
  );
});

test('invalid tokens of operators and of live timing are never repeated', () => {
  for (const name of ['ADMIN_TOKEN', 'LIVE_TIMING_TOKEN']) {
    for (const wrong of ['short-secret', 'a secret with spaces in it', `line\u0007secret-secret-secret`]) {
      const [problem] = problemsOf({ ADMIN_PORT: '9100', [name]: wrong });
      assert.match(problem!, new RegExp(`^${name}: `));
      assert.doesNotMatch(problem!, /secret/);
    }
  }
  const token = 'x'.repeat(16);
  accepts({ LIVE_TIMING_URL: 'https://a.example', LIVE_TIMING_TOKEN: token }, 'liveTimingToken', token);
});

test('the address of live timing is a web address without a user; switches are on or off', () => {
  accepts(
    { LIVE_TIMING_URL: 'https://timing.example.com/signalrcore/' },
    'liveTimingUrl',
    'https://timing.example.com/signalrcore',
  );
  for (const url of ['timing.example.com', 'ftp://timing.example.com', 'https://me:secret@timing.example.com/']) {
    const [problem] = problemsOf({ LIVE_TIMING_URL: url });
    assert.match(problem!, /^LIVE_TIMING_URL: /);
    assert.doesNotMatch(problem!, /secret/);
  }
  accepts({ LIVE_TO_LOCALHOST: 'on' }, 'liveToLocalhost', true);
  accepts({ LIVE_TO_LOCALHOST: 'false' }, 'liveToLocalhost', false);
  accepts({ METRICS: 'off' }, 'metrics', false);
  for (const name of ['REPLAY_TO_LOCALHOST', 'LIVE_TO_LOCALHOST', 'METRICS']) {
    assert.deepEqual(problemsOf({ [name]: 'maybe' }), [`${name}: "maybe" is neither on nor off`]);
  }
});

test('gRPC has a port of its own, and TLS with both files', () => {
  accepts({ GRPC_PORT: '9090' }, 'grpc', { port: 9090, tls: null });
  const files = { GRPC_TLS_CERT: '/tls/cert.pem', GRPC_TLS_KEY: '/tls/key.pem' };
  accepts({ GRPC_PORT: '0', ...files }, 'grpc', { port: 0, tls: { cert: '/tls/cert.pem', key: '/tls/key.pem' } });
  assert.match(problemsOf({ GRPC_PORT: 'x' })[0]!, /^GRPC_PORT: /);
  assert.deepEqual(problemsOf({ PORT: '9100', GRPC_PORT: '9100' }), ['GRPC_PORT: is the same as PORT']);
  assert.deepEqual(problemsOf({ ADMIN_PORT: '9100', GRPC_PORT: '9100' }), ['GRPC_PORT: is the same as ADMIN_PORT']);
  assert.deepEqual(problemsOf({ GRPC_PORT: '9100', GRPC_TLS_KEY: '/tls/key.pem' }), [
    'GRPC_TLS_CERT and GRPC_TLS_KEY must be set together',
  ]);
  assert.deepEqual(problemsOf(files), ['GRPC_TLS_CERT: needs GRPC_PORT to be set as well']);
});

test('a node of a cluster has a database, a key and an address that others reach, and nothing that a cluster cannot do yet', () => {
  const node = {
    CLUSTER: 'on',
    CLUSTER_ADDRESS: '10.0.0.1:8090',
    DATABASE_URL: 'postgres://a:b@db/c',
    SECRET_KEY: '0123456789abcdef',
  };
  accepts(node, 'cluster', { host: '10.0.0.1', port: 8090 });
  accepts({ ...node, CLUSTER_ADDRESS: '[fd00::1]:8090' }, 'cluster', { host: 'fd00::1', port: 8090 });
  accepts({ CLUSTER: 'off' }, 'cluster', null);
  assert.deepEqual(problemsOf({ CLUSTER_ADDRESS: '10.0.0.1:8090' }), ['CLUSTER_ADDRESS: needs CLUSTER=on']);
  assert.deepEqual(problemsOf({ CLUSTER: 'on', CLUSTER_ADDRESS: '10.0.0.1:8090' }), [
    'CLUSTER: needs DATABASE_URL, the database that all nodes share',
    'CLUSTER: needs SECRET_KEY, the same for all nodes',
  ]);
  assert.deepEqual(
    problemsOf({ CLUSTER: 'on' }).map((text) => /^.*?(is required|DATABASE_URL|SECRET_KEY)/.exec(text)?.[0]),
    ['CLUSTER_ADDRESS: is required', 'CLUSTER: needs DATABASE_URL', 'CLUSTER: needs SECRET_KEY'],
  );
  assert.equal(problemsOf({ ...node, CLUSTER_ADDRESS: '10.0.0.1', DATABASE_URL: 'x' }).length, 2);
  for (const address of ['10.0.0.1', '0.0.0.0:8090', '[::]:8090', '10.0.0.1:0', '10.0.0.1:70000', 'a b:1'])
    assert.match(problemsOf({ ...node, CLUSTER_ADDRESS: address })[0]!, /^CLUSTER_ADDRESS: /, address);
  assert.match(problemsOf({ ...node, CLUSTER_ADDRESS: '' })[0]!, /^CLUSTER_ADDRESS: is required/);
  assert.match(problemsOf({ ...node, GRPC_PORT: '8090' })[0]!, /^CLUSTER_ADDRESS: its port .* GRPC_PORT$/);
  assert.match(problemsOf({ ...node, PORT: '8090' })[0]!, /^CLUSTER_ADDRESS: its port/);
});
