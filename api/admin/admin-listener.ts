// The listener for operators, separate from the customers' API. It takes frames from an operator's own source and
// serves metrics and the operators' page.
//
// It uses node:http, because request bodies are streams that last for hours.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assert } from '#engine/base/assert.ts';
import {
  ADMIN_CONNECTIONS_MAX,
  ADMIN_DISCARD_BYTES_MAX,
  ADMIN_DISCARD_MS_MAX,
  ADMIN_HEAD_MS_MAX,
  INGEST_SILENCE_MS,
} from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { adminPortError } from '#engine/base/port-errors.ts';
import { AdminError, unavailable } from './admin-error.ts';
import { type AdminResponse, allow, data, figures, json } from './admin-response.ts';
import { admitBrowser, admitProgram } from './admission.ts';
import type { LiveClient } from './live-client.ts';
import type { Metrics } from './metrics.ts';
import type { OperatorsPage } from './page/operators-page.ts';

export interface AdminListenerParts {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Null: no authentication, so only this machine may be able to reach the listener. */
  readonly token: string | null;
  readonly ingest: Pick<LiveClient, 'progress' | 'feed' | 'end'>;
  /** Null: metrics are off. */
  readonly metrics: Metrics | null;
  /** Null: there is none. */
  readonly page: Pick<OperatorsPage, 'route'> | null;
  readonly log: Log;
}

export interface AdminListener {
  readonly port: number;
  /** Closes the listener and all connections, including those with requests in progress. */
  close(): Promise<void>;
}

/** How often node:http checks for request heads that are late. */
const HEAD_CHECK_MS = 2_000;
const INGEST_PATH = /^\/v1\/ingest\/([^/]+)(\/end)?$/;
const INGEST_TYPE = 'application/x-ndjson';

assert(HEAD_CHECK_MS < ADMIN_HEAD_MS_MAX, 'late heads are found soon');

export async function listenForOperators(parts: AdminListenerParts): Promise<AdminListener> {
  const server = createServer({ connectionsCheckingInterval: HEAD_CHECK_MS }, (request, response) => {
    handle(parts, request).then(
      ({ headers, content }) => send(response, 200, headers, content),
      (error: Error) => refuse(parts, request, response, error),
    );
  });
  server.maxConnections = ADMIN_CONNECTIONS_MAX;
  // A body may last as long as a race. Only silence ends it.
  server.requestTimeout = 0;
  server.headersTimeout = ADMIN_HEAD_MS_MAX;
  server.setTimeout(INGEST_SILENCE_MS);
  await new Promise<void>((resolve, reject) => {
    // Once it listens, an error is that of a connection that could not be accepted.
    server.on('error', (error) => reject(adminPortError(error)));
    server.listen(parts.port, parts.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(parts: AdminListenerParts, request: IncomingMessage): Promise<AdminResponse> {
  const { token, page } = parts;
  const [pathname = '', query] = (request.url ?? '').split('?');
  const answer = page?.route(pathname) ?? null;
  if (answer !== null) {
    admitBrowser(token, request);
    return answer(request);
  }
  admitProgram(token, request);
  if (pathname === '/metrics') {
    allow(request, 'GET');
    if (parts.metrics === null) throw new AdminError(404, 'not_found', 'Metrics are off: set METRICS=on.');
    return figures(parts.metrics.contentType, await parts.metrics.text());
  }
  const [, sessionId, end] = INGEST_PATH.exec(pathname) ?? [];
  if (sessionId === undefined) {
    const ofBrowsers = page === null ? '' : ', and / for a browser';
    throw new AdminError(
      404,
      'not_found',
      `The paths are /v1/ingest/SESSION, /v1/ingest/SESSION/end and /metrics${ofBrowsers}.`,
    );
  }
  const { ingest } = parts;
  if (end !== undefined) {
    allow(request, 'POST');
    return data(await ingest.end(sessionId));
  }
  if (request.method === 'GET') return data(await ingest.progress(sessionId));
  allow(request, 'POST');
  if (request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== INGEST_TYPE) {
    throw new AdminError(415, 'unsupported_type', `Send lines of JSON with Content-Type: ${INGEST_TYPE}.`);
  }
  return data(await ingest.feed(sessionId, request, seriesIn(query)));
}

/** Two series join to an unknown name, which ingest refuses. */
function seriesIn(query: string | undefined): string | null {
  const named = new URLSearchParams(query).getAll('series');
  return named.length === 0 ? null : named.join(',');
}

function refuse(parts: AdminListenerParts, request: IncomingMessage, response: ServerResponse, error: Error): void {
  const known = error instanceof AdminError;
  const { statusCode, code, message, headers: own } = known ? error : unavailable();
  // A client that disconnects early gets no response and no log line.
  if (!response.destroyed) {
    const { headers, content } = json({ error: message, code, statusCode });
    if (request.complete) send(response, statusCode, [...headers, ...own], content);
    else sendEarly(request, response, statusCode, [...headers, ...own], content);
    if (!known) parts.log.error({ err: error }, "an operator's request failed");
  }
}

function send(
  response: ServerResponse,
  statusCode: number,
  headers: readonly string[],
  content: string | Uint8Array,
): void {
  response.writeHead(statusCode, [...headers, 'content-length', String(Buffer.byteLength(content))]);
  response.end(content);
}

/**
 * Refuses a request whose body is still arriving. Closing a connection with unread bytes resets it, and the client
 * loses the refusal. So this first reads and discards a bounded part of the rest.
 */
function sendEarly(
  request: IncomingMessage,
  response: ServerResponse,
  statusCode: number,
  headers: readonly string[],
  content: string | Uint8Array,
): void {
  const length = ['content-length', String(Buffer.byteLength(content))];
  response.writeHead(statusCode, [...headers, ...length, 'connection', 'close']);
  response.write(content);
  let discardedBytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, ADMIN_DISCARD_MS_MAX);
  request.once('end', end).once('close', end);
  request.on('data', (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > ADMIN_DISCARD_BYTES_MAX) end();
  });
  request.resume();
}
