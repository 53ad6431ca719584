import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { run, smoke } from '#bench/load/isolation.ts';
import { IllHandshakes, LATE_HANDSHAKE_MS } from '#bench/receivers/ill-handshakes-process.ts';
import { authorityCertificate } from '#bench/receivers/localhost-certificate.ts';

test('I1: healthy endpoints get every update beside unhealthy ones, whose updates are all accounted for', async () => {
  const rounds: string[] = [];
  const { measurements, plots, faults } = await run(smoke, (line) => rounds.push(line));
  assert.deepEqual(
    Object.entries(faults).filter(([, count]) => count !== 0),
    [],
  );
  for (const { name, samples } of measurements) {
    assert.equal(samples.length, 1, name);
    assert.ok(
      samples.every((sample) => Number.isFinite(sample) && sample > 0),
      `${name}: ${samples}`,
    );
  }
  assert.deepEqual(
    measurements.filter(({ unit }) => unit === 'x').map(({ name }) => name),
    ['healthy p99 of that alone, 50 % mixed', 'healthy p99 of that alone, 90 % mixed'],
  );
  assert.equal(rounds.length, 3);
  // 3 healthy endpoints are half of 6 and a tenth of 30. The unhealthy ones get attempts, but no delivery.
  assert.match(rounds[1]!, / 3 others: [1-9]\d* attempts, 0 delivered/);
  assert.match(rounds[2]!, / 27 others: [1-9]\d* attempts, 0 delivered/);
  assert.deepEqual(
    plots.map(({ series }) => series.length),
    [3, 3],
  );
});

test('I1: over https, healthy endpoints get every update beside endpoints with bad handshakes', async () => {
  const rounds: string[] = [];
  const small = ['--https', '--healthy', '3', '--updates', '40', '--rounds', '1'];
  const { measurements, faults } = await run(small, (line) => rounds.push(line));
  assert.deepEqual(
    Object.entries(faults).filter(([, count]) => count !== 0),
    [],
  );
  assert.deepEqual(
    measurements.filter(({ target }) => target !== undefined).map(({ name, target }) => [name, target]),
    [
      ['healthy p99 of that alone, 12 bad handshakes', 1.2],
      ['healthy p99 until the late ones of that alone, 12 bad handshakes', 1.2],
    ],
  );
  assert.match(rounds[1]!, / 4 more healthy ones: .* 4 others: 160 attempts, 160 delivered, 0 failed, 0 skipped/);
  assert.match(rounds[2]!, / 12 others: [1-9]\d* attempts, 0 delivered/);
});

test('bad handshakes hang, fail or take five seconds, and all are dropped on demand', async (t) => {
  const ill = await IllHandshakes.start();
  t.after(() => ill.end());
  await ill.accept();
  const begin = (url: string) => {
    const { hostname, port } = new URL(url);
    const socket = connect({
      host: '127.0.0.1',
      port: Number(port),
      servername: hostname,
      ca: authorityCertificate(),
      ALPNProtocols: ['http/1.1'],
    });
    t.after(() => socket.destroy());
    return socket;
  };
  const failure = async (index: number) => {
    const signal = AbortSignal.timeout(LATE_HANDSHAKE_MS);
    const [error] = await once(begin(ill.url('failing', index)), 'error', { signal });
    return error.code;
  };
  const hanging = begin(ill.url('hanging', 0));
  let greeted = false;
  hanging.once('secureConnect', () => {
    greeted = true;
  });
  const dropped = once(hanging, 'error', { signal: AbortSignal.timeout(2 * LATE_HANDSHAKE_MS) });
  const startMs = performance.now();
  const late = begin(ill.url('late', 2));
  assert.match(await failure(0), /^(EPROTO|ERR_SSL_\w+)$/);
  assert.equal(await failure(1), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  await once(late, 'secureConnect');
  assert.ok(performance.now() - startMs >= LATE_HANDSHAKE_MS - 1);
  late.write('POST /2 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  assert.match(await text(late), /^HTTP\/1\.1 200 /);
  assert.equal(greeted, false);
  assert.equal(await ill.dropAll(), 1);
  assert.equal((await dropped)[0].code, 'ECONNRESET');
});

test('an invalid option is rejected by name', async () => {
  const silent = (): void => {};
  await assert.rejects(run(['--kinds', 'dead,sleepy'], silent), /--kinds: "sleepy"/);
  await assert.rejects(run(['--kinds', 'dead,dead'], silent), /--kinds/);
  await assert.rejects(run(['--rate', '0'], silent), /--rate/);
  await assert.rejects(run(['--https', '--kinds', 'dead'], silent), /^Error: --kinds: with --https/);
  await assert.rejects(run(['--helthy', '3'], silent), /--helthy/);
});
