// Assembles the body of a request to a bench receiver from its chunks. A chunk is memory of uWebSockets.js, valid only
// until the handler returns.

import type { HttpResponse } from 'uWebSockets.js';

/** Calls back with the whole body. A body in a single chunk is not copied, so use it only during the call. */
export function whenWhole(response: HttpResponse, take: (body: Buffer) => void, aborted = (): void => {}): void {
  let before: Buffer | null = null;
  response.onAborted(aborted);
  response.onData((chunk, last) => {
    const piece = Buffer.from(chunk);
    const body = before === null ? piece : Buffer.concat([before, piece]);
    if (last) take(body);
    else before = Buffer.from(body);
  });
}
