// Server-sent events over node:http, read as a careful client does: an event counts when it is complete.

import { get } from 'node:http';
import type { ConnectionEnd, StreamProtocol } from './stream-protocol.ts';

/** Refusals of a service that has just started, or that has not noticed yet that the last connection is gone. */
const COME_BACK = [429, 503];

export const eventStreams: StreamProtocol = (address, token, subscription, place, on) => {
  const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
  const { session, feed, after, speed } = subscription;
  const query = new URLSearchParams({
    session,
    feeds: feed,
    ...(after !== null && { after: String(after) }),
    ...(speed !== null && { speed: String(speed) }),
  });
  const headers = { authorization: `Bearer ${token}`, ...(place !== '' && { 'last-event-id': place }) };
  const broken = (): void => resolve({ kind: 'broken' });
  const request = get(`${address}/v1/stream?${query}`, { headers, agent: false }, (response) => {
    const status = response.statusCode!;
    if (status === 204) resolve({ kind: 'completed' });
    else if (status !== 200) resolve(COME_BACK.includes(status) ? { kind: 'broken' } : wrong(`status ${status}`));
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop()!;
      if (status === 200) for (const block of blocks) take(block);
    });
    response.on('error', broken).on('close', broken);
  });
  request.on('error', broken);

  const take = (block: string): void => {
    const fields = new Map(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
    const data = fields.get('data');
    const id = fields.get('id');
    if (fields.get('event') === 'stream') {
      const { state, code } = JSON.parse(data!) as { state: string; code?: string };
      if (state === 'ended' && code === 'completed') resolve({ kind: 'completed' });
      else if (state === 'ended' && code !== 'stopping') resolve(wrong(`ended with ${code}`));
    } else if (data !== undefined) {
      on.update({ place: id!, body: data });
      return;
    }
    if (id !== undefined) on.placed(id);
  };

  return { ended: promise, port: () => request.socket?.localPort ?? 0, cut: () => request.destroy() };
};

function wrong(what: string): ConnectionEnd {
  return { kind: 'wrong', what };
}
