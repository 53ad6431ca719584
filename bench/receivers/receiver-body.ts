// The body of a request that a bench's receiver takes, put together when it comes in pieces. What uWebSockets.js hands over is
// its own memory, good only until the handler returns.

import type { HttpResponse } from 'uWebSockets.js';

/** Calls back with the whole body; what of it came in one piece is not copied. */
export function whenWhole(response: HttpResponse, take: (body: Buffer) => void): void {
  let before: Buffer | null = null;
  response.onAborted(() => {});
  response.onData((chunk, last) => {
    const piece = Buffer.from(chunk);
    const body = before === null ? piece : Buffer.concat([before, piece]);
    if (last) take(body);
    else before = Buffer.from(body);
  });
}
