// Unhealthy endpoints in their own process: /hanging/<n> reads a request and never responds, /slow/<n> responds 200
// after two seconds. (Dead endpoints need no server.) On request they drop everything they hold, so a bench need not
// wait for deadlines.
//
// Started by ill-receiver-process.ts.

import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js';
import { obeyBench } from './admission.ts';
import { type FromIllReceiver, SLOW_MS } from './ill-receiver-process.ts';

const LOOPBACK = '127.0.0.1';

/** Pending responses, with their timer; null for those that never come. */
const held = new Map<HttpResponse, NodeJS.Timeout | null>();
const admission = obeyBench(() => {
  for (const response of [...held.keys()]) response.close();
});

const app = App().post('/:illness/:endpoint', (response, request) => {
  if (!admission.accepting) {
    response.close();
    return;
  }
  admission.requests++;
  response.onAborted(() => release(response));
  response.onData(() => {});
  held.set(response, request.getParameter(0) === 'slow' ? setTimeout(respond, SLOW_MS, response) : null);
});

function respond(response: HttpResponse): void {
  held.delete(response);
  response.cork(() => response.end());
}

function release(response: HttpResponse): void {
  clearTimeout(held.get(response) ?? undefined);
  held.delete(response);
}

app.listen(LOOPBACK, 0, (socket) => {
  if (socket === false) throw new Error('no free port on the loopback address');
  const listening: FromIllReceiver = { kind: 'listening', port: us_socket_local_port(socket) };
  if (process.connected) process.send!(listening);
});
