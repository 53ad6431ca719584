// The receivers in docs/receiving.md, as a reader would copy them, against deliveries signed by the engine's own code.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DeliveryHeaders } from '#engine/delivery/sign/delivery-headers.ts';
import { Signer } from '#engine/delivery/sign/signer.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { headerLines } from '#test/support/header-lines.ts';
import { issued } from '#test/support/output-folder.ts';
import { eventually } from '#test/support/patience.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { blocks, read } from './documents.ts';

interface Language {
  readonly file: string;
  /** The command that runs a file, without the file. */
  readonly command: readonly string[];
  /** Succeeds where the language is installed. */
  readonly probe: readonly string[];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: { file: 'receiver.ts', command: [process.execPath], probe: [process.execPath, '--version'] },
  python: { file: 'receiver.py', command: ['python3'], probe: ['python3', '--version'] },
  go: { file: 'receiver.go', command: ['go', 'run'], probe: ['go', 'version'] },
};
/** The first build of a Go program also builds the standard library. */
const START_MS_MAX = 120_000;
const BODY = Buffer.from('{"feed":"timing.data","seriesId":"f1","sessionId":"demo-race","sequence":12,"drivers":[]}');
const receivers = blocks(read('docs/receiving.md')).filter(({ mark }) => mark === 'receiver');

test('docs/receiving.md has a receiver in each of three languages', () => {
  assert.deepEqual(receivers.map(({ language }) => language).sort(), Object.keys(LANGUAGES).sort());
});

for (const { language, text } of receivers) {
  const { probe, command, file } = LANGUAGES[language]!;
  const [program, ...args] = probe as [string, ...string[]];
  const skip = spawnSync(program, args).status !== 0 && `there is no ${program} on this machine`;

  test(`the receiver in ${language} accepts each genuine delivery once, and nothing else`, { skip }, async (t) => {
    const secret = newSecret();
    const receiver = await start(t, [...command, file], text, secret);
    const signer = new Signer(secret, null);
    const signed = (sequence: number, by = signer, atMs = Date.now()) => delivery(sequence, by, atMs);
    const { send, printed } = receiver;

    assert.equal(await send(signed(12)), 204);
    await eventually('it is printed', () => printed().includes('replay timing.data 12'));
    assert.equal(await send(signed(12)), 204, 'a repeated delivery is acknowledged');
    await eventually('the repetition is recognised', () => printed().some((line) => line.startsWith('repeated evt_')));
    assert.equal(await send(signed(13), 'PUT'), 204);
    await eventually('PUT is accepted', () => printed().length === 4);
    assert.equal(
      await send(signed(14, new Signer(secret, { secret: newSecret(), untilMs: Date.now() + 60_000 }))),
      204,
    );
    await eventually('either signature of a rotation is accepted', () => printed().length === 5);
    const rotated = new Signer(newSecret(), { secret, untilMs: Date.now() + 60_000 });
    assert.equal(await send(signed(14, rotated)), 204, 'also by a receiver that still has the old secret');
    await eventually('it is recognised', () => printed().length === 6);

    const genuine = signed(15);
    const longAgoMs = Date.now() - 10 * 60_000;
    const tampered = Buffer.from(genuine.body.toString().replace('demo-race', 'demo-rice'));
    const changed = (name: string, value: string) => ({ ...genuine, headers: { ...genuine.headers, [name]: value } });
    const other = signed(15, new Signer(newSecret(), null));
    const refused: Readonly<Record<string, ReturnType<typeof signed>>> = {
      'a tampered body': { ...genuine, body: tampered },
      'a wrong secret': other,
      'an old timestamp': signed(15, signer, longAgoMs),
      'a timestamp to come': signed(15, signer, Date.now() + 10 * 60_000),
      'an old delivery with a new time': {
        ...signed(15, signer, longAgoMs),
        headers: {
          ...signed(15, signer, longAgoMs).headers,
          'webhook-timestamp': genuine.headers['webhook-timestamp']!,
        },
      },
      'a wrong first signature': changed('X-Service-Signature', other.headers['X-Service-Signature']!),
      'a wrong second signature': changed('webhook-signature', other.headers['webhook-signature']!),
      'another id': changed('webhook-id', 'evt_00000000000000000000000000'),
      'no signature at all': { headers: {}, body: BODY },
    };
    for (const [what, wrong] of Object.entries(refused)) assert.equal(await send(wrong), 401, what);
    assert.equal(await send(genuine), 204, 'a refused delivery does not count as received');
    await eventually('it is printed', () => printed().includes('replay timing.data 15'));
    assert.deepEqual(printed().slice(1).toSorted(), [
      `repeated ${signed(12).headers['X-Service-Delivery-Id']}`,
      `repeated ${signed(14).headers['X-Service-Delivery-Id']}`,
      'replay timing.data 12',
      'replay timing.data 13',
      'replay timing.data 14',
      'replay timing.data 15',
    ]);
  });
}

function newSecret(): string {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  issued(secret);
  return secret;
}

/** Returns a delivery as the engine builds it. */
function delivery(sequence: number, signer: Signer, atMs: number) {
  const body = Buffer.from(BODY.toString().replace('"sequence":12', `"sequence":${sequence}`));
  const headers = new DeliveryHeaders({
    mode: 'replay',
    sessionId: 'demo-race',
    run: { runId: 'run_1', speed: 10 },
    headerPrefix: 'X-Service',
  });
  const lines = headers.forAttempt(signer, headers.idPrefix('wh_1'), 'timing.data', sequence, 1, body, atMs);
  return { headers: Object.fromEntries(headerLines(lines)) as Readonly<Record<string, string>>, body };
}

async function start(t: TestContext, command: readonly string[], text: string, secret: string) {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, command.at(-1)!), text);
  const [port] = (await freePorts(1)) as [number];
  const [program, ...args] = command as [string, ...string[]];
  // `go run` starts a process of its own, which ends with its process group.
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  t.after(() => endGroup(child));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const listens = async () => {
    assert.equal(child.exitCode, null, err);
    return out.includes(`listening on port ${port}`) && (await accepts(port));
  };
  await eventually(`${command.join(' ')} listens`, listens, START_MS_MAX, 50);
  return {
    printed: () => out.split('\n').filter((line) => line !== ''),
    async send({ headers, body }: { headers: Readonly<Record<string, string>>; body: Buffer }, method = 'POST') {
      const response = await fetch(`http://127.0.0.1:${port}/hook`, { method, headers, body });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

function endGroup(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('close', () => resolve());
    process.kill(-child.pid!, 'SIGKILL');
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
