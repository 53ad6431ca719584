// The programs in docs/receiving.md that verify and receive, as a reader would copy them, against deliveries signed by the
// engine's own code.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Signer } from '#engine/delivery/sign/signer.ts';
import {
  documentedLanguages,
  documentedProgram,
  missing,
  RECEIVER_LANGUAGES,
  SHELL,
  startReceiver,
} from '#test/support/documented-receivers.ts';
import { eventually } from '#test/support/patience.ts';
import {
  type Delivery,
  forgedDeliveries,
  genuineDeliveries,
  newSecret,
  signed,
} from '#test/support/signed-deliveries.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

test('docs/receiving.md verifies in six languages and has a receiver in five', () => {
  const receivers = RECEIVER_LANGUAGES.map(({ language }) => language);
  assert.deepEqual(documentedLanguages('receiver'), receivers);
  assert.deepEqual(documentedLanguages('verify'), [...receivers, SHELL.language]);
});

for (const language of RECEIVER_LANGUAGES) {
  const title = `the receiver in ${language.language} keeps each genuine delivery once, and nothing else`;
  test(title, { skip: missing(language) }, async (t) => {
    const secret = newSecret();
    const receiver = await startReceiver(t, language, secret);
    const send = (delivery: Delivery, method?: string) => answer(receiver.port, delivery, method);
    const genuine = genuineDeliveries(secret);
    for (const [what, delivery] of Object.entries(genuine)) assert.equal(await send(delivery), 204, what);
    for (const [what, delivery] of Object.entries(genuine)) assert.equal(await send(delivery, 'PUT'), 204, what);
    for (const [what, delivery] of Object.entries(forgedDeliveries(secret))) {
      assert.equal(await send(delivery), 401, what);
    }
    const late = signed(19, new Signer(secret, null));
    const elsewhere = { ...late.headers, 'X-Service-Replay-Run-Id': '../../run' };
    assert.equal(await send({ ...late, headers: elsewhere }), 204, 'a run id is no path');

    const sent = Object.values(genuine);
    assert.deepEqual(
      keptIn(join(receiver.folder, 'received', 'run_1')),
      sent.map((delivery) => [fileName(delivery), delivery.body.toString()]),
    );
    assert.deepEqual(readdirSync(join(receiver.folder, 'received')).sort(), ['______run', 'run_1']);
    await eventually('all is printed', () => receiver.printed().at(-1) === 'replay timing.data 19');
    const told = receiver.printed().filter((line) => /^(replay|repeated) /.test(line));
    assert.deepEqual(told, [
      ...sent.map((_, index) => `replay timing.data ${12 + index}`),
      ...sent.map(({ headers }) => `repeated ${headers['webhook-id']}`),
      'replay timing.data 19',
    ]);
  });
}

test('the script in bash accepts genuine deliveries, and nothing else', { skip: missing(SHELL) }, (t) => {
  const folder = temporaryFolder(t);
  const secret = newSecret();
  const [script, headersFile, bodyFile] = ['verify.sh', 'headers', 'body'].map((name) => join(folder, name));
  writeFileSync(script!, documentedProgram('verify', SHELL));
  const verify = ({ headers, body }: Delivery, env = { WEBHOOK_SECRET: secret }) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    writeFileSync(headersFile!, lines.join(''));
    writeFileSync(bodyFile!, body);
    const run = spawnSync('bash', [script!, headersFile!, bodyFile!], { env: { PATH: process.env.PATH, ...env } });
    return { status: run.status, err: run.stderr.toString() };
  };
  const genuine = genuineDeliveries(secret);
  for (const [what, delivery] of Object.entries(genuine)) {
    assert.deepEqual(verify(delivery), { status: 0, err: '' }, what);
  }
  for (const [what, delivery] of Object.entries(forgedDeliveries(secret))) {
    assert.deepEqual(verify(delivery), { status: 1, err: '' }, what);
  }
  const [first] = Object.values(genuine);
  assert.notEqual(verify(first!, { WEBHOOK_SECRET: '' }).status, 0, 'no secret');
  const command = { ...first!.headers, 'webhook-timestamp': `a[$(touch ${join(folder, 'made')})]` };
  assert.equal(verify({ ...first!, headers: command }).status, 1, 'a header is no command');
  assert.deepEqual(readdirSync(folder).sort(), ['body', 'headers', 'verify.sh']);
});

async function answer(port: number, { headers, body }: Delivery, method = 'POST'): Promise<number> {
  const response = await fetch(`http://localhost:${port}/hook`, { method, headers, body: new Uint8Array(body) });
  await response.arrayBuffer();
  return response.status;
}

function fileName({ headers, body }: Delivery): string {
  const { sequence } = JSON.parse(body.toString()) as { sequence: number };
  return `${String(sequence).padStart(7, '0')}-${headers['webhook-id']}.json`;
}

/** Returns the files of a folder, sorted by name, with what is in them. */
function keptIn(folder: string): [string, string][] {
  return readdirSync(folder)
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
}
