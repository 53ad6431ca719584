// The guard that keeps deliveries out of the service's own network, when a connection is opened: with a real name
// server that changes its addresses, real listeners that must see no connection, and a real proxy that must see no
// request.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { admitUrl } from '#api/webhooks/url-admission.ts';
import type { NameAnswer } from '#bench/receivers/hostile/misbehaviour.ts';
import { NameServer } from '#bench/receivers/hostile/name-server.ts';
import { systemClock } from '#engine/base/clock.ts';
import { ADDRESSES_MAX, ADDRESSES_TRIED_MAX } from '#engine/base/limits.ts';
import { guardedLookup } from '#engine/delivery/transport/egress-guard.ts';
import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
import { createNameLookup, type NameLookup } from '#engine/delivery/transport/name-lookup.ts';
import { allClosed, BareServer, body, connected, ends, LOCAL, OK, send, until } from '#test/support/bare-http.ts';

const PUBLIC = '93.184.216.34';
/** Shorter than in the service; other lookups of the test take a few milliseconds. */
const TRY_MS = 250;
const NOT_ALLOWED = /^\S+ has an address that is not allowed$/;

const v4 = (...addresses: string[]): LookupAddress[] => addresses.map((address) => ({ address, family: 4 }));

async function nameServer(answers: Readonly<Record<string, NameAnswer>>, tryMs?: number): Promise<NameLookup> {
  const server = new NameServer(new Map(Object.entries(answers)), '127.0.0.1');
  await server.listen(0);
  after(() => server.close());
  return createNameLookup(systemClock, [server.address], tryMs);
}

/** A listener inside the network that no delivery may reach. */
async function inside(): Promise<{ readonly server: BareServer; readonly port: number }> {
  const server = new BareServer(() => assert.fail('a delivery came through'));
  const origin = await server.at();
  return { server, port: Number(new URL(origin).port) };
}

test('a name with a public address at create and 127.0.0.1 at connect is refused, and no connection is made', async () => {
  const { server, port } = await inside();
  const lookup = await nameServer({ 'rebind.example.com': { kind: 'change', first: PUBLIC, after: '127.0.0.1' } });
  const origin = `https://rebind.example.com:${port}`;
  const resolve = async (host: string) => (await lookup(host)).map(({ address }) => address);
  const admitted = await admitUrl(`${origin}/hook`, resolve, true);
  assert.equal(admitted.replayOnly, false);
  for (const allowLoopback of [false, true]) {
    const connections = connected(origin, [], allowLoopback, lookup);
    for (let i = 0; i < 3; i++) assert.match((await send(connections, origin)).error!, NOT_ALLOWED);
  }
  assert.equal(server.accepted, 0);
});

test('one address that is not allowed refuses the whole name, in any position: no other address is tried', async () => {
  const { server, port } = await inside();
  const sought: string[] = [];
  const seen = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    socket.on('connectionAttempt', (address: string) => sought.push(address));
  };
  subscribe('net.client.socket', seen);
  const answers: readonly LookupAddress[][] = [
    [...v4(PUBLIC, '127.0.0.1')],
    [...v4('127.0.0.1', PUBLIC)],
    [...v4(PUBLIC), { address: '::1', family: 6 }],
    [{ address: '2a00:1450::1', family: 6 }, { address: '::ffff:127.0.0.1', family: 6 }, ...v4(PUBLIC)],
    [...v4(...Array<string>(5_000).fill(PUBLIC), '10.0.0.1')],
  ];
  for (const addresses of answers) {
    const origin = `https://many.example.com:${port}`;
    assert.match(
      (
        await send(
          connected(origin, [], true, async () => addresses),
          origin,
        )
      ).error!,
      NOT_ALLOWED,
    );
  }
  unsubscribe('net.client.socket', seen);
  assert.deepEqual(sought, []);
  assert.equal(server.accepted, 0);
});

test('localhost is refused if it resolves to another machine', async () => {
  const origin = 'http://localhost:9';
  for (const address of ['10.0.0.1', '127.0.0.2', PUBLIC, '::ffff:127.0.0.1']) {
    const lookup = async (): Promise<LookupAddress[]> => v4('127.0.0.1', address);
    assert.match((await send(connected(origin, [], true, lookup), origin)).error!, NOT_ALLOWED);
  }
});

test('with deliveries to localhost turned off nothing on this machine is reached, whether it listens or not', async () => {
  const { server, port } = await inside();
  const ownMachine = { isServed: false, isOwnPort: () => false };
  const transport = new HttpTransport(ownMachine, systemClock, async () => LOCAL);
  ends.push(() => transport.close());
  const errors = new Set<string | null>();
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    for (const at of [port, 1]) {
      const origin = `http://${host}:${at}`;
      const connections = transport.connect('wh', origin, true);
      const { error } = await send(connections, origin);
      errors.add(error!.replace(host, 'HOST'));
      connections.close();
    }
  }
  // The same answer for both ports: it tells nothing of what listens.
  assert.deepEqual([...errors], ['HOST is not served']);
  assert.equal(server.accepted, 0);
});

test('no name server is asked for localhost', async () => {
  const lookup = createNameLookup(systemClock, ['127.0.0.1:1']);
  assert.deepEqual(
    (await lookup('localhost')).map(({ address }) => address),
    ['127.0.0.1', '::1'],
  );
});

test('all addresses of a name are checked, and a few of each family are tried', async () => {
  const policy = { isServed: true, allowLoopback: false, isOwnPort: () => false };
  const many = [...v4(...Array<string>(500).fill(PUBLIC)), ...Array(500).fill({ address: '2a00:1450::1', family: 6 })];
  const asked = (all: boolean, addresses: readonly LookupAddress[]): Promise<unknown[]> =>
    new Promise((resolve) => {
      guardedLookup(policy, async () => addresses)('a.example.com', { all }, (...answer) => resolve(answer));
    });
  const [error, addresses] = (await asked(true, many)) as [null, LookupAddress[]];
  assert.equal(error, null);
  assert.deepEqual(
    [4, 6].map((family) => addresses.filter((address) => address.family === family).length),
    [ADDRESSES_TRIED_MAX, ADDRESSES_TRIED_MAX],
  );
  assert.deepEqual(await asked(false, many), [null, PUBLIC, 4]);
  for (const all of [true, false]) assert.match(String((await asked(all, v4(PUBLIC, '10.0.0.1')))[0]), /EgressRefused/);
});

test('a kept connection outlives a change of addresses, and no other is opened: addresses are checked at connect', async () => {
  const server = new BareServer((socket) => socket.write(OK));
  const origin = await server.at('http', 'localhost');
  let addresses: readonly LookupAddress[] = LOCAL;
  const connections = connected(origin, [], true, async () => addresses);
  assert.equal((await send(connections, origin)).statusCode, 200);
  addresses = v4('10.0.0.1');
  assert.equal((await send(connections, origin)).statusCode, 200);
  const [over, beside] = await Promise.all([send(connections, origin), send(connections, origin)]);
  assert.deepEqual([over.statusCode, beside.statusCode], [200, 200]);
  assert.equal(server.accepted, 1);
  connections.close();
  await allClosed(server);
});

test('a lookup that ends after its attempt was abandoned leads to no connection', async () => {
  const server = new BareServer(() => assert.fail('no request'));
  const origin = await server.at('http', 'localhost');
  const answer = Promise.withResolvers<readonly LookupAddress[]>();
  const connections = connected(origin, [], true, () => answer.promise);
  const exchange = connections.send({ origin, path: '/', method: 'POST' }, '', body, {
    ended: () => assert.fail('nothing is heard of an abandoned exchange'),
  });
  exchange.abandon();
  answer.resolve(LOCAL);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(server.accepted, 0);
});

test('a name with too many addresses is refused, and not looked up again for a while, because reading them takes long', async () => {
  const many = Array.from({ length: ADDRESSES_MAX + 1 }, (_, index) => `93.184.216.${index + 1}`);
  const lookup = await nameServer({
    'many.example.com': { kind: 'addresses', v4: many },
    'most.example.com': { kind: 'addresses', v4: many.slice(1) },
  });
  assert.equal((await lookup('most.example.com')).length, ADDRESSES_MAX);
  let asked = 0;
  const origin = 'https://many.example.com';
  const connections = connected(origin, [], false, (host) => {
    asked++;
    return lookup(host);
  });
  for (let i = 0; i < 3; i++)
    assert.equal((await send(connections, origin)).error, 'many.example.com has too many addresses');
  assert.equal(asked, 1);
});

describe('a name that hangs', () => {
  test('holds back no other one, and is given up by itself', async () => {
    const answers = {
      'silent.example.com': { kind: 'silence' },
      'nonsense.example.com': { kind: 'nonsense' },
      'sound.example.com': { kind: 'addresses', v4: [PUBLIC] },
    } as const;
    const lookup = await nameServer(answers, TRY_MS);
    const order: string[] = [];
    const ask = (host: string): Promise<void> =>
      lookup(host).then(
        () => void order.push(host),
        ({ code }) => void order.push(code),
      );
    const silent = Array.from({ length: 64 }, () => ask('silent.example.com'));
    const nonsense = Array.from({ length: 8 }, () => ask('nonsense.example.com'));
    await Promise.all(Array.from({ length: 8 }, () => ask('sound.example.com')));
    await Promise.all(nonsense);
    assert.deepEqual(order.filter((outcome) => outcome === 'sound.example.com').length, 8);
    await Promise.all(silent);
    assert.deepEqual(new Set(order.slice(16)), new Set(['EAI_AGAIN']));
    assert.equal(order.length, 80);
  });
});

describe('the own ports', { concurrency: true }, () => {
  test('are not reachable by any name of this machine, over HTTP or HTTPS, in any spelling of the port', async () => {
    const { server, port } = await inside();
    let refused = 0;
    for (const scheme of ['http', 'https']) {
      for (const host of [
        'localhost',
        'LOCALHOST',
        '127.0.0.1',
        '[::1]',
        '127.1',
        '2130706433',
        '0x7f.1',
        '[0:0::0:1]',
      ]) {
        for (const text of [String(port), `0${port}`, `000000${port}`]) {
          const { origin } = new URL(`${scheme}://${host}:${text}/`);
          assert.match((await send(connected(origin, [1, port]), origin)).error!, /belongs to the service$/, origin);
          refused++;
        }
      }
    }
    assert.equal(refused, 48);
    assert.equal(server.accepted, 0);
  });

  test('that are the default of a scheme are recognised in a URL without a port', async () => {
    for (const [origin, port] of [
      ['http://localhost', 80],
      ['https://localhost', 443],
    ] as const) {
      assert.match((await send(connected(origin, [port]), origin)).error!, /belongs to the service$/);
    }
  });

  test('of this machine are refused as well at an address that replays may not use', async () => {
    const { server, port } = await inside();
    for (const host of ['127.0.0.2', '127.255.255.254', '0.0.0.0', '[::]', '[::ffff:127.0.0.1]', '[::127.0.0.1]']) {
      const { origin } = new URL(`http://${host}:${port}/`);
      assert.match((await send(connected(origin), origin)).error!, /is not a public address$/, host);
    }
    assert.equal(server.accepted, 0);
  });
});

test('proxies from environment variables are not used', async () => {
  const proxy = new BareServer(() => assert.fail('a delivery went to the proxy'));
  const proxyUrl = await proxy.at();
  const plain = new BareServer((socket) => socket.write(OK));
  const origin = await plain.at();
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const script = `
    import { HttpTransport } from '#engine/delivery/transport/http-transport.ts';
    import { systemClock } from '#engine/base/clock.ts';
    const connections = new HttpTransport({ isServed: true, isOwnPort: () => false }, systemClock).connect('wh', '${origin}', true);
    connections.send({ origin: '${origin}', path: '/', method: 'POST' }, '', Buffer.from('{}'), {
      ended(result) {
        connections.close();
        console.log(result.statusCode ?? result.detail);
      },
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(names.map((name) => [name, proxyUrl])) },
    timeout: 30_000,
  });
  assert.equal(stdout.trim(), '200');
  assert.deepEqual([plain.arrived, proxy.accepted], [1, 0]);
  await until(() => plain.open.size === 0, 'the connection is closed');
});
