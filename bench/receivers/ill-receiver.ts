// Unhealthy endpoints in their own process: /hanging/<n> reads a request and never responds, /slow/<n> responds 200
// after two seconds. (Dead endpoints need no server.) On request they drop everything they hold, so a bench need not
// wait for deadlines.
//
// Started by ill-receiver-process.ts.

import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js';
import { endWithTheBench } from '../suite/helper-process.ts';
import { type FromIllReceiver, SLOW_MS, type ToIllReceiver } from './ill-receiver-process.ts';

const LOOPBACK = '127.0.0.1';

/** Pending responses, with their timer; null for those that never come. */
const held = new Map<HttpResponse, NodeJS.Timeout | null>();
let accepting = false;
let requests = 0;

const app = App().post('/:illness/:endpoint', (response, request) => {
  if (!accepting) {
    response.close();
    return;
  }
  requests++;
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

function send(message: FromIllReceiver): void {
  if (process.connected) process.send!(message);
}

process.on('message', ({ kind }: ToIllReceiver) => {
  accepting = kind === 'accept';
  if (accepting) {
    requests = 0;
    send({ kind: 'accepting' });
    return;
  }
  for (const response of [...held.keys()]) response.close();
  send({ kind: 'dropped', requests });
});
endWithTheBench(async () => {});

app.listen(LOOPBACK, 0, (socket) => {
  if (socket === false) throw new Error('no free port on the loopback address');
  send({ kind: 'listening', port: us_socket_local_port(socket) });
});
