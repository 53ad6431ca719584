// The bare uWebSockets.js handler: sends the same status and bytes to every request, reads no body and checks nothing. Runs
// in its own process and reports its port. Arguments: bytes of the body and, unless it is 200, the status line.

import { App, us_socket_local_port } from 'uWebSockets.js';

const bytes = Number(process.argv[2]);
const status = process.argv[3] ?? '200 OK';
const body = JSON.stringify({ data: 'x'.repeat(Math.max(0, bytes - 11)) });

App()
  .any('/*', (response) => {
    response.writeStatus(status);
    response.writeHeader('content-type', 'application/json');
    response.end(body);
  })
  .listen('127.0.0.1', 0, (socket) => {
    process.send!({ port: us_socket_local_port(socket as Parameters<typeof us_socket_local_port>[0]) });
  });

process.on('disconnect', () => process.exit());
