// Endpoints that are ill, in a process of their own: /hanging/<n> takes a request and never answers, /slow/<n> answers
// 200 after two seconds. (Dead ones need nobody.) What they hold they let go of when they are told to, so that a bench
// does not wait for deadlines.
//
// Started by ill-receiver-process.ts.

import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js';
import { endWithTheBench } from '../suite/helper-process.ts';
import { type FromIllReceiver, SLOW_MS, type ToIllReceiver } from './ill-receiver-process.ts';

const LOOPBACK = '127.0.0.1';

/** Requests without an answer, with the timer of the answer where one is to come. */
const held = new Map<HttpResponse, NodeJS.Timeout | null>();
let taking = false;
let requests = 0;

const app = App().post('/:illness/:endpoint', (response, request) => {
  if (!taking) {
    response.close();
    return;
  }
  requests++;
  response.onAborted(() => release(response));
  response.onData(() => {});
  held.set(response, request.getParameter(0) === 'slow' ? setTimeout(answer, SLOW_MS, response) : null);
});

function answer(response: HttpResponse): void {
  held.delete(response);
  response.cork(() => response.end());
}

function release(response: HttpResponse): void {
  clearTimeout(held.get(response) ?? undefined);
  held.delete(response);
}

function tell(message: FromIllReceiver): void {
  if (process.connected) process.send!(message);
}

process.on('message', ({ kind }: ToIllReceiver) => {
  taking = kind === 'take';
  if (taking) {
    requests = 0;
    tell({ kind: 'taking' });
    return;
  }
  for (const response of [...held.keys()]) response.close();
  tell({ kind: 'gone', requests });
});
endWithTheBench(async () => {});

app.listen(LOOPBACK, 0, (socket) => {
  if (socket === false) throw new Error('no free port on the loopback address');
  tell({ kind: 'listening', port: us_socket_local_port(socket) });
});
