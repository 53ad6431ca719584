// Large responses to clients that read slowly: larger than the system's buffers, so the rest is sent as the client reads.

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

/** The system buffers at most ten million bytes for both ends of a local connection. */
const BYTES = 24_000_000;
const HEAD_END = '\r\n\r\n';
const PAUSE_CHUNKS = 32;

const documents = {
  bytes: randomBytes(BYTES),
  // Characters of one, two and three bytes. No two parts are alike.
  text: Array.from({ length: BYTES / 16 }, (_, index) => `${index}é€`.padEnd(13, 'x')).join(''),
};
const signedIn = async () => ({ accountId: 'acc', plan: 'free' as const });
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
    authenticate: () => signedIn,
    signedIn,
    quota: new RequestQuota(systemClock),
    log: silentLog,
  }),
  '127.0.0.1',
  0,
);
after(() => listening.close());

/** Reads with pauses until the other side closes. Returns everything it read. */
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
  test(`a client that reads ${name} slowly gets every byte exactly once`, { timeout: 20_000 }, async () => {
    const all = await readSlowly(`/${name}`);
    const body = all.subarray(all.indexOf(HEAD_END) + HEAD_END.length);
    assert.equal(body.length, Buffer.byteLength(content));
    assert.ok(body.equals(Buffer.from(content)), 'the same bytes at the same places');
  });
}
