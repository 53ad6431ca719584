// Large answers to clients that read late: more than the system keeps on the way, so that the rest is sent in parts as it is taken.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import Type from 'typebox';
import { Dispatcher } from '#api/http/dispatcher.ts';
import { publicOperation } from '#api/http/operation.ts';
import { RequestQuota } from '#api/http/request-quota.ts';
import { listen } from '#api/http/uws-server.ts';
import { systemClock } from '#engine/base/clock.ts';
import { silentLog } from '#test/support/database.ts';

/** The system keeps at most ten million of them for both ends of a connection of this machine. */
const BYTES = 24_000_000;
const HEAD_END = '\r\n\r\n';
const PAUSE_CHUNKS = 32;

const documents = {
  bytes: randomBytes(BYTES),
  // Characters of one, two and three bytes; no part is like another.
  text: Array.from({ length: BYTES / 16 }, (_, index) => `${index}é€`.padEnd(13, 'x')).join(''),
};
const authenticate = async () => ({ accountId: 'acc', plan: 'free' as const });
const listening = await listen(
  new Dispatcher({
    routes: Object.entries(documents).map(([name, content]) => ({
      method: 'GET' as const,
      path: `/${name}`,
      operation: publicOperation({ summary: 'Test', answer: Type.Unknown() }, async () => ({
        kind: 'document',
        contentType: 'text/plain',
        content,
      })),
    })),
    authenticate,
    signedIn: authenticate,
    quota: new RequestQuota(systemClock),
    log: silentLog,
  }),
  '127.0.0.1',
  0,
);
after(() => listening.close());

/** Everything that comes until the other side closes, read with pauses. */
async function readSlowly(path: string): Promise<Buffer> {
  const socket = connect(listening.port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk);
    if (chunks.length % PAUSE_CHUNKS === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return Buffer.concat(chunks);
}

for (const [name, content] of Object.entries(documents)) {
  test(`who reads an answer of ${name} slowly gets every byte of it, once`, { timeout: 20_000 }, async () => {
    const all = await readSlowly(`/${name}`);
    const body = all.subarray(all.indexOf(HEAD_END) + HEAD_END.length);
    assert.equal(body.length, Buffer.byteLength(content));
    assert.ok(body.equals(Buffer.from(content)), 'the same bytes at the same places');
  });
}
