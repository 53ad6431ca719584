// The package of the client as a customer gets it: packed, installed without a network, type-checked by a strict program,
// and running the examples of docs/client.md.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { SlipstreamClient } from '#api/client/client.ts';
import type { StreamState, Update } from '#api/client/stream.ts';
import { IN_SEASON, importShortSession, prepare, replay, SHORT_SESSION } from '#test/contract/short-session.ts';
import { blocks, ROOT, read } from '#test/docs/documents.ts';
import { contractService } from '#test/support/contract-service.ts';
import { missing, RECEIVER_LANGUAGES } from '#test/support/documented-receivers.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { issued } from '#test/support/output-folder.ts';
import { OwnSource } from '#test/support/own-source.ts';
import { eventually } from '#test/support/patience.ts';
import { newSecret } from '#test/support/signed-deliveries.ts';
import { verifyingReceiver } from '#test/support/verifying-receiver.ts';
import type { Terminal } from '#workers/admin/command.ts';
import { runCommand } from '#workers/admin/run-command.ts';
import { clientCommand } from '#workers/client/client-command.ts';
import type { PackedClient } from '#workers/client/client-package.ts';
import { inTwoCalls } from '#workers/listen/hash.ts';
import { VERSION } from '#workers/version.ts';
import { breakingProxy } from './breaking-proxy.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'slipstream-client-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const service = await contractService({ after }, { ...IN_SEASON, ADMIN_PORT: '0' }, importShortSession);
let packed: PackedClient;

before(async () => {
  const { code, out, err } = await packing(folder);
  assert.equal(code, 0, err);
  packed = JSON.parse(out);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const offline = ['install', '--offline', '--no-audit', '--no-fund', packed.file];
  await run('npm', offline, { cwd: folder, env: { ...process.env, npm_config_cache: join(folder, '.npm') } });
  for (const [name, text] of examples()) writeFileSync(join(folder, name), text);
});

/** What `npm run client` does with these arguments. */
async function packing(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const terminal: Terminal = {
    env: {},
    interactive: false,
    print(line) {
      out += line;
    },
    say(line) {
      err += line;
    },
    progress() {},
  };
  const code = await runCommand(clientCommand, args, terminal, 'npm run client --');
  return { code, out, err };
}

/** The programs of docs/client.md by the name in their first line. */
function examples(): ReadonlyMap<string, string> {
  const programs = blocks(read('docs/client.md')).filter(({ mark }) => mark === 'client');
  return new Map(programs.map(({ text }) => [/^(?:\/\/|#) ([\w.]+)/.exec(text)![1]!, text]));
}

test('npm run client says what it made, and in one line why it made nothing', async () => {
  const { file, version, files, bytes } = packed;
  assert.deepEqual([file, version], [join(folder, `slipstream-client-${version}.tgz`), VERSION]);
  assert.ok(files > 20 && bytes === statSync(file).size);
  assert.match((await packing('--help')).out, /^Makes the package/);
  for (const args of [['a', 'b'], [''], ['--out', folder]]) assert.equal((await packing(...args)).code, 2, args.join());
  const { code, err } = await packing(join(folder, 'package.json'));
  assert.equal(code, 1);
  assert.match(err, /^[^\n]*package\.json[^\n]*$/);
});

test('the package is plain JavaScript with types, a guide and the licence, and needs no other', () => {
  const installed = join(folder, 'node_modules/slipstream-client');
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['slipstream-client'],
  );
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(manifest.version, VERSION);
  assert.equal(manifest.dependencies, undefined);
  assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'dist', 'listen', 'package.json']);
  const files = readdirSync(join(installed, 'dist'));
  const sources = readdirSync(`${ROOT}api/client`).filter((name) => name.endsWith('.ts'));
  const expected = sources.flatMap((name) => [name.replace(/ts$/, 'd.ts'), name.replace(/ts$/, 'js')]);
  assert.deepEqual(files.sort(), expected.sort());
  for (const file of files) {
    const text = readFileSync(join(installed, 'dist', file), 'utf8');
    const imported = [...text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)].map(([, name]) => name!);
    for (const name of imported) assert.match(name, /^(\.\/[\w-]+\.js|node:crypto)$/, file);
  }
  const guide = readFileSync(join(installed, 'README.md'), 'utf8');
  assert.doesNotMatch(guide, /<!--|\]\((?!https?:|#)|npm run client/);
  assert.match(guide, /^# TypeScript client\n[\s\S]*```ts\n\/\/ calls\.ts/);
});

const NARROWING = `
import { type FeedPayloads, type ListWebhooksAnswer, SlipstreamClient, type Update, verify } from 'slipstream-client';

declare const client: SlipstreamClient;
declare const update: Update;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

if (update.feed === 'lap.count') {
  same<typeof update.payload, FeedPayloads['lap.count']>(true);
  const lap: number | null = update.payload.data.currentLap;
  // @ts-expect-error the payload of another feed has other fields
  update.payload.drivers;
}
if (update.feed === 'events.race') {
  const { payload } = update;
  if (payload.event === 'pit_entry') same<typeof payload, import('slipstream-client').PitEntryEvent>(true);
  // @ts-expect-error there is no such event
  if (payload.event === 'no_such_event') throw new Error();
}
// @ts-expect-error there is no such feed
if (update.feed === 'no.such-feed') throw new Error();
const { payload, mode } = verify(new Headers(), new Uint8Array(), ['whsec_']);
if (payload.feed === 'weather.data') same<typeof payload, FeedPayloads['weather.data']>(true);
same<typeof mode, 'live' | 'replay' | 'test'>(true);

export async function use(): Promise<string[]> {
  const answer = await client.listWebhooks();
  same<typeof answer, ListWebhooksAnswer>(true);
  await client.listDeliveryLog({ webhookId: 'wh_1', outcome: 'failed' }, { signal: AbortSignal.timeout(5) });
  // @ts-expect-error webhookId is needed
  await client.getWebhook({});
  // @ts-expect-error there is no such outcome
  await client.listDeliveryLog({ webhookId: 'wh_1', outcome: 'lost' });
  // @ts-expect-error a stream is of a session or of a run
  client.stream({});
  // @ts-expect-error and not of both
  client.stream({ session: 'live', run: 'run_1' });
  // @ts-expect-error there is no such feed
  client.stream({ session: 'live', feeds: ['no.such-feed'] });
  for await (const { feed } of client.stream({ session: 'live', feeds: ['*', 'timing.*', 'lap.count'] })) return [feed];
  return answer.endpoints.map(({ webhookUrl }) => webhookUrl);
}
`;

test('a strict program narrows payloads by feed and race events by event, with the types of Node or of the web', async () => {
  writeFileSync(join(folder, 'narrowing.ts'), NARROWING);
  const strict = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    typeRoots: [`${ROOT}node_modules/@types`],
  };
  const programs = [...examples().keys()].filter((name) => name.endsWith('.ts'));
  const configs = {
    node: { files: ['narrowing.ts', ...programs], compilerOptions: { ...strict, lib: ['es2022'], types: ['node'] } },
    web: {
      files: ['narrowing.ts'],
      compilerOptions: { ...strict, lib: ['es2022', 'dom', 'dom.asynciterable'], types: [], skipLibCheck: false },
    },
  };
  for (const [name, config] of Object.entries(configs)) {
    const file = join(folder, `tsconfig.${name}.json`);
    writeFileSync(file, JSON.stringify(config));
    const { stdout } = await run(`${ROOT}node_modules/.bin/tsc`, ['--project', file]).catch((error) => error);
    assert.equal(stdout, '', name);
  }
});

test('calls.ts of the guide makes, changes and deletes a webhook', async () => {
  const { clientId, clientSecret } = await service.client('developer');
  const printed = await runExample('calls.ts', { BASE_URL: service.baseUrl, ...credentialsOf(clientId, clientSecret) });
  assert.match(printed, /^made wh_\w+, keep its secret of \d+ characters\nhttp:\/\/localhost:9000\/hook paused\n/);
  assert.match(printed, /\nit is gone: 404 not_found\n$/);
});

test('every call without a body reaches its operation, and an answer is what its type says', async () => {
  const { clientId, clientSecret } = await service.client('custom');
  const client = new SlipstreamClient({ baseUrl: service.baseUrl, clientId, clientSecret });
  const { feeds } = await client.listFeeds({ limit: 100 });
  assert.ok(feeds.some(({ feedId }) => feedId === 'events.race'));
  assert.equal((await client.getSimulateQuota()).limit, -1);
  assert.ok((await client.listSessions()).sessions.some(({ sessionId }) => sessionId === SHORT_SESSION));
  assert.equal((await client.getUsage()).deliveryCount, 0);
  assert.deepEqual((await client.listRuns()).runs, []);
  await assert.rejects(client.getRun({ runId: 'run_unknown' }), { status: 404, code: 'not_found' });
  await assert.rejects(client.createWebhook({ webhookUrl: 'ftp://example.com' }), {
    status: 400,
    code: 'invalid_body',
  });
  assert.match(
    await client.stopRun({ runId: 'run_unknown' }).catch((error) => error.requestId),
    /\w+/,
    'the id for the log of the service',
  );
});

test('receive.ts of the guide verifies what the service delivers, and refuses anything else', async (t) => {
  const owner = await service.client('custom');
  await prepare(owner);
  const [port] = (await freePorts(1)) as [number];
  const webhookUrl = `http://localhost:${port}/hook`;
  const client = new SlipstreamClient({ baseUrl: service.baseUrl, ...owner });
  const { webhookId, webhookSecret } = await client.createWebhook({ webhookUrl, feedIds: ['*'] });
  issued(webhookSecret);
  const printed = await startExample(t, 'receive.ts', {
    PORT: String(port),
    WEBHOOK_SECRET: `whsec_${'A'.repeat(32)} ${webhookSecret}`,
  });
  const forged = await fetch(webhookUrl, { method: 'POST', body: '{}' });
  assert.deepEqual([forged.status, await forged.text()], [401, 'invalid_delivery']);
  const runId = await replay(owner);
  const run = await eventually('the replay is over', async () => {
    const now = await client.getRun({ runId });
    return now.state === 'completed' && now;
  });
  const [endpoint] = run.endpoints;
  assert.deepEqual([endpoint?.webhookId, endpoint?.delivered], [webhookId, run.updateCount]);
  const lines = printed()
    .split('\n')
    .filter((line) => line.startsWith('replay '));
  assert.equal(new Set(lines).size, run.updateCount);
});

/** What the programs that follow a session print of it. */
async function lapsOf(client: SlipstreamClient): Promise<string[]> {
  const laps: string[] = [];
  for await (const update of client.stream({ session: 'demo-race', feeds: ['lap.count'] })) {
    if (update.feed === 'lap.count') laps.push(`${update.sequence} lap ${update.payload.data.currentLap}`);
  }
  return laps;
}

for (const { name, language, cutAfter } of [
  { name: 'follow.ts', language: 'ts', cutAfter: [2_000, 3_000, 9_000] },
  { name: 'follow.py', language: 'python', cutAfter: [1_300, 1_200] },
]) {
  const skip = missing(RECEIVER_LANGUAGES.find((one) => one.language === language)!);
  test(`${name} of the guide shows each lap once and in order, over connections that break`, { skip }, async (t) => {
    const owner = await service.client('developer');
    await prepare(owner, 'demo-race');
    const { clientId, clientSecret } = owner;
    const laps = await lapsOf(new SlipstreamClient({ baseUrl: service.baseUrl, clientId, clientSecret }));
    assert.ok(laps.length >= 10);
    const { baseUrl, cuts } = await breakingProxy(t, service.baseUrl, cutAfter);
    const printed = await runExample(name, { BASE_URL: baseUrl, ...credentialsOf(clientId, clientSecret) });
    assert.deepEqual(printed.match(/^\d+ lap \d+/gm), laps);
    assert.match(printed, /\nthe session is over\n$/);
    assert.equal(cuts(), cutAfter.length);
  });
}

async function bodiesOf(stream: AsyncIterable<Update>): Promise<string[]> {
  const bodies: string[] = [];
  for await (const { body } of stream) bodies.push(body);
  return bodies;
}

test('CS1: a recorded session comes whole over connections that break, byte for byte, and continues after any update', async (t) => {
  const owner = await service.client('custom');
  await prepare(owner);
  const direct = new SlipstreamClient({ baseUrl: service.baseUrl, ...owner });
  const whole = await bodiesOf(direct.stream({ session: SHORT_SESSION }));
  assert.ok(whole.length > 100);
  const proxy = await breakingProxy(t, service.baseUrl, [3_000, 20_001, 5_003, 40_007, 3_001]);
  const broken = new SlipstreamClient({ baseUrl: proxy.baseUrl, ...owner });
  assert.deepEqual(await bodiesOf(broken.stream({ session: SHORT_SESSION })), whole);
  assert.equal(proxy.cuts(), 5);

  const stream = direct.stream({ session: SHORT_SESSION, after: 9 });
  const tenth = (await stream.next()).value;
  await stream.return();
  assert.equal(tenth?.body, whole[9]);
  const rest = direct.stream({ session: SHORT_SESSION, afterId: tenth?.id });
  assert.deepEqual(await bodiesOf(rest), whole.slice(10));
});

test('CS1: a live session comes whole over connections that break, and what it had before on request', async (t) => {
  const owner = await service.client('custom');
  const proxy = await breakingProxy(t, service.baseUrl, [4_000, 7_001, 2_503, 9_007]);
  const broken = new SlipstreamClient({ baseUrl: proxy.baseUrl, ...owner });
  const sessionId = '2026-monza-race';
  const leaving = new AbortController();
  t.after(() => leaving.abort());
  const bodies: string[] = [];
  let opened = 0;
  const onState = ({ kind }: StreamState) => {
    if (kind === 'open') opened++;
  };
  const following = (async () => {
    for await (const { body } of broken.stream({ session: 'live', signal: leaving.signal, onState })) bodies.push(body);
  })();
  await eventually('the stream is open', () => opened === 1);
  const source = new OwnSource(service, sessionId);
  for (let ms = 2_000; ms <= 18_000; ms += 2_000) await source.upTo(ms);
  await source.upTo();
  const direct = new SlipstreamClient({ baseUrl: service.baseUrl, ...owner });
  let isOpen = false;
  const onDirectState = ({ kind }: StreamState) => {
    isOpen ||= kind === 'open';
  };
  const fromStart = bodiesOf(direct.stream({ session: sessionId, after: 0, onState: onDirectState }));
  await eventually('the second stream is open', () => isOpen);
  await source.end();
  const whole = await fromStart;
  await eventually('all updates', () => bodies.length >= whole.length);
  leaving.abort();
  await assert.rejects(following, { name: 'AbortError' });
  assert.deepEqual(bodies, whole);
  assert.equal(opened, 1 + proxy.cuts());
  assert.equal(proxy.cuts(), 4);
});

test('a refusal of a stream is the one of the service', async () => {
  const { clientId, clientSecret } = await service.client('developer');
  const client = new SlipstreamClient({ baseUrl: service.baseUrl, clientId, clientSecret });
  const closed = client.stream({ session: SHORT_SESSION, feeds: ['analytics.strategy'] });
  await assert.rejects(closed.next(), { status: 402, code: 'tier_required' });
  await assert.rejects(client.stream({ session: 'nobody-knows' }).next(), { status: 404, code: 'not_found' });
});

test('npx slipstream-client listen forwards to a receiver that verifies, without the repository', async (t) => {
  const { clientId, clientSecret } = await service.client('custom');
  const receiver = await verifyingReceiver(t, () => secret);
  const secret = newSecret();
  const env = {
    ...process.env,
    npm_config_offline: 'true',
    SLIPSTREAM_URL: service.baseUrl,
    SLIPSTREAM_CLIENT_ID: clientId,
    SLIPSTREAM_CLIENT_SECRET: clientSecret,
    SLIPSTREAM_WEBHOOK_SECRET: secret,
  };
  const args = ['--forward-to', receiver.url, '--session', 'demo-race', '--speed', '10', '--after', '8500'];
  const listen = ['slipstream-client', 'listen', ...args];
  const { stdout, stderr } = await run('npx', listen, { cwd: folder, env, timeout: 60_000 });
  assert.deepEqual(
    receiver.received.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    Array.from({ length: 190 }, (_, index) => 8501 + index),
  );
  assert.equal(receiver.forged, 0);
  assert.equal(stdout.trimEnd().split('\n').length, 190);
  assert.match(stderr, /\n190 updates: 190 delivered, 0 failed; 0 retries\nlatency p50 .*\n$/);

  const help = await run('npx', ['slipstream-client', 'listen', '--help'], { cwd: folder, env });
  assert.match(help.stdout, /\n {2}npx slipstream-client listen --forward-to http:\/\/localhost:3000\/hook\n/);
  const wrong = await run('npx', ['slipstream-client', 'listen'], { cwd: folder, env }).catch((error) => error);
  assert.deepEqual([wrong.code, /--forward-to URL or --print/.test(wrong.stderr)], [2, true]);
  const nothing = await run('npx', ['slipstream-client'], { cwd: folder, env }).catch((error) => error);
  assert.equal(nothing.code, 2);
});

test('the program imports nothing but Node and what is packed, and hashes on Node 18 as later versions do', () => {
  const installed = join(folder, 'node_modules/slipstream-client');
  const files = readdirSync(join(installed, 'listen'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  assert.ok(
    files.includes('engine/delivery/sign/delivery-headers.js') && files.includes('engine/delivery/sign/signer.js'),
  );
  for (const file of files) {
    const text = readFileSync(join(installed, 'listen', file), 'utf8');
    for (const [, name] of text.matchAll(/(?:from |import\(|import )['"]([^'"]+)['"]/g)) {
      const place = name!.startsWith('.')
        ? join(installed, 'listen', dirname(file), name!)
        : join(
            installed,
            name!
              .replace(/^#api\/client\//, 'dist/')
              .replace(/^#/, 'listen/')
              .replace(/ts$/, 'js'),
          );
      assert.ok(name!.startsWith('node:') || existsSync(place), `${file} imports ${name}`);
    }
    assert.doesNotMatch(text, /import \{[^}]*\bhash\b[^}]*\} from 'node:crypto'/, file);
  }
  const data = Buffer.from('Müller 🏁');
  for (const encoding of ['hex', 'base64', 'binary'] as const) {
    assert.equal(inTwoCalls('sha256', data, encoding), hash('sha256', data, encoding));
  }
  assert.deepEqual(inTwoCalls('sha256', data, 'buffer'), hash('sha256', data, 'buffer'));
});

function credentialsOf(clientId: string, clientSecret: string): Readonly<Record<string, string>> {
  return { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
}

/** Runs a program of the guide beside the installed package to its end, and returns what it printed. */
async function runExample(name: string, env: Readonly<Record<string, string>>): Promise<string> {
  const [program, ...args] = commandOf(name);
  const { stdout } = await run(program, args, { cwd: folder, env: { ...process.env, ...env }, timeout: 60_000 });
  return stdout;
}

/** Starts a program of the guide that serves until the test ends. Returns what it has printed. */
async function startExample(
  t: TestContext,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<() => string> {
  const [program, ...args] = commandOf(name);
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, ...env } });
  t.after(() => child.kill());
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  child.stderr.on('data', (text) => {
    printed += text;
  });
  await eventually(`${name} listens`, () => printed.includes('listening'));
  return () => printed;
}

function commandOf(name: string): [program: string, ...args: string[]] {
  return name.endsWith('.py') ? ['python3', name] : [process.execPath, '--disable-warning=ExperimentalWarning', name];
}
