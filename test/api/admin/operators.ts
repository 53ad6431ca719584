// The operators' listener over live sessions of the test, called over HTTP.

import { request } from 'node:http';
import type { TestContext } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { type AdminListenerParts, listenForOperators } from '#api/admin/admin-listener.ts';
import { Ingest } from '#api/admin/ingest.ts';
import { LiveClient } from '#api/admin/live-client.ts';
import { LiveHost, type LiveHostParts } from '#api/admin/live-host.ts';
import { Metrics } from '#api/admin/metrics.ts';
import { RequestMeter } from '#api/http/request-meter.ts';
import type { MeteredNode } from '#api/nodes/node-meter.ts';
import { type Meters, newMeters } from '#engine/delivery/meter/meters.ts';
import { LocalFrameLog } from '#engine/intake/live/frame-log.ts';
import { type FollowedSessions, followSessions } from '#test/support/live-sessions.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

export interface AdminAnswer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there.
  readonly body: any;
}

export interface Operators extends FollowedSessions {
  readonly dataDir: string;
  readonly port: number;
  readonly failures: Error[];
  readonly meters: Meters;
  call(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<AdminAnswer>;
  /** Feeds lines, or the text of a body unchanged. */
  feed(sessionId: string, lines: string | readonly object[]): Promise<AdminAnswer>;
  /** Starts a request whose body is sent piece by piece. */
  stream(sessionId: string): FeedStream;
  close(): Promise<void>;
}

export interface FeedStream {
  write(text: string | Uint8Array): void;
  /** Disconnects in the middle of the body. */
  abort(): void;
  end(text?: string): void;
  readonly answer: Promise<AdminAnswer>;
}

/** A client connected to a live host over a real port, as between two threads. */
export function clientOf(t: TestContext, parts: Omit<LiveHostParts, 'port' | 'connected'>): LiveClient {
  const { port1, port2 } = new MessageChannel();
  const host = new LiveHost({ ...parts, port: port1, connected: () => true });
  t.after(() => host.close());
  const client = new LiveClient();
  client.attach(port2);
  return client;
}

export const NDJSON = { 'content-type': 'application/x-ndjson' };

export async function withOperators(
  t: TestContext,
  options: Partial<Pick<AdminListenerParts, 'token' | 'metrics' | 'page'>> & {
    readonly dataDir?: string;
    readonly node?: MeteredNode;
  } = {},
): Promise<Operators> {
  const dataDir = options.dataDir ?? temporaryFolder(t);
  const followed = followSessions(dataDir);
  const { sessions, catalogue, time, log } = followed;
  const failures: Error[] = [];
  const meters = newMeters(2);
  const ingest = new Ingest({ sessions, frames: new LocalFrameLog(sessions), catalogue, clock: time });
  const live = clientOf(t, { ingest, sessions, log, failed: (error) => failures.push(error) });
  const listener = await listenForOperators({
    host: '127.0.0.1',
    port: 0,
    token: null,
    ingest: live,
    metrics: new Metrics({
      live,
      hasTiming: true,
      meters,
      requests: RequestMeter.of([]).counts,
      clock: time,
      dataDir,
      databaseConnections: () => Promise.reject(new Error('no database here')),
      journalBacklog: () => Promise.reject(new Error('no database here')),
      ...(options.node !== undefined && { node: options.node }),
      version: '0.0.0',
    }),
    page: null,
    log,
    ...options,
  });
  let open = true;
  const close = async (): Promise<void> => {
    if (open) await listener.close();
    open = false;
  };
  t.after(close);
  const { port } = listener;

  const begin = (method: string, path: string, headers: Record<string, string>) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
    const answer = new Promise<AdminAnswer>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = incoming.headers['content-type'] === 'application/json';
          resolve({ status: incoming.statusCode!, text, body: isJson ? JSON.parse(text) : null });
        });
      });
    });
    // A client that aborts its request does not wait for the response.
    answer.catch(() => {});
    return { outgoing, answer };
  };
  const call: Operators['call'] = (method, path, body, headers = {}) => {
    const { outgoing, answer } = begin(method, path, headers);
    outgoing.end(body);
    return answer;
  };
  return {
    ...followed,
    dataDir,
    port,
    failures,
    meters,
    close,
    call,
    feed(sessionId, lines) {
      const text = typeof lines === 'string' ? lines : ndjson(lines);
      return call('POST', `/v1/ingest/${sessionId}`, text, NDJSON);
    },
    stream(sessionId) {
      const { outgoing, answer } = begin('POST', `/v1/ingest/${sessionId}`, NDJSON);
      outgoing.flushHeaders();
      return {
        write: (text) => outgoing.write(text),
        abort: () => outgoing.destroy(),
        end: (text) => outgoing.end(text),
        answer,
      };
    },
  };
}

export function ndjson(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The n-th message of a session, numbered from 1. */
export function heartbeat(n: number, numbered = true): object {
  const utc = new Date(Date.UTC(2026, 4, 3, 14) + n * 1_000).toISOString();
  return { topic: 'Heartbeat', utc, data: { Utc: utc }, ...(numbered && { sequence: n }) };
}

export function heartbeats(count: number, from = 1): object[] {
  return Array.from({ length: count }, (_, index) => heartbeat(from + index));
}
