// Passes requests on to the node that is home to their account, and its answers back.
//
// FW1 A request that its home may have read is never sent again. The client gets 503, and decides.
// FW2 An answer is passed on whole, so that a node that dies in the middle of one gives the client a refusal and not half
//     an answer. Event streams are passed on as they come.
// FW3 Requests of one account, or of one network, have a share of the connections to a node; its others wait for their turn.
//     Streams, which hold theirs, have connections of their own. So nobody keeps others from a node.
// FW4 What waited for its turn, and whose client has left, is not passed on.
// FW5 Once the token of a stream was revoked, what its client does not read goes with the connection within a second. Its
//     home ends it, but the end is behind what was not read, so it is not seen here.

import { Pool } from 'undici';
import { ApiError } from '#api/http/api-error.ts';
import { busy } from '#api/http/common-refusals.ts';
import type { Exchange } from '#api/http/exchange.ts';
import { type Forwarder, MISDIRECTED, type Passed, type Passing, type PeerNode } from '#api/http/homes.ts';
import type { Authenticate, Caller } from '#api/http/operation.ts';
import { Turns } from '#api/http/turns.ts';
import { checkCallers } from '#api/tokens/open-callers.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  ACCOUNT_REQUESTS_MAX,
  PEER_ANSWER_BYTES_MAX,
  PEER_CONNECT_MS,
  PEER_CONNECTIONS_MAX,
  PEER_SHARE_MAX,
  REQUEST_DEADLINE_MS,
  STREAMS_MAX,
} from '#engine/base/limits.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { NodeMeter } from './node-meter.ts';
import { passedBack, passedOn, passedTarget } from './passed-headers.ts';
import { PassedStream } from './passed-stream.ts';
import { ownKey, PEER_TLS } from './peer-secrets.ts';

/** What dialling fails with. An error of the system counts only if it says that it is of dialling. */
const DIALLING: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface UndiciForwarderParts {
  readonly secretBox: SecretBox;
  readonly meter: Pick<NodeMeter, 'passings' | 'passMs'>;
  readonly clock: TimerClock;
}

/** Connections to a node. */
interface PeerPools {
  readonly requests: Pool;
  readonly streams: Pool;
}

export class UndiciForwarder implements Forwarder {
  readonly #parts: UndiciForwarderParts;
  readonly #pools = new Map<string, PeerPools>();
  readonly #streams = new Set<PassedStream>();
  readonly #turns = new Turns(PEER_SHARE_MAX, ACCOUNT_REQUESTS_MAX);

  constructor(parts: UndiciForwarderParts) {
    this.#parts = parts;
  }

  async pass({ address }: PeerNode, passed: Passed): Promise<Passing> {
    const { requests, streams } = this.#poolsOf(address);
    if (passed.isStream) return this.#pass(streams, passed);
    const passing = this.#turns.run(passed.key, () => this.#pass(requests, passed));
    if (passing === null) throw busy();
    return passing;
  }

  /** FW5 */
  accountChanged(accountId: string | null, authenticate: Authenticate): void {
    const streams = [...this.#streams].filter(({ caller }) => accountId === null || caller.accountId === accountId);
    void checkCallers(streams, authenticate, (stream, code) => {
      if (code === 'unauthorized') stream.revoke();
    });
  }

  async #pass(pool: Pool, { exchange, caller, clientIp, requestId, body }: Passed): Promise<Passing> {
    if (!exchange.isWaiting) throw busy();
    const { meter, clock } = this.#parts;
    const { method, path, query } = exchange;
    const startedMs = clock.nowMs();
    let answer: Awaited<ReturnType<Pool['request']>>;
    try {
      answer = await pool.request({
        method: method as 'GET',
        path: passedTarget(query === '' ? path : `${path}?${query}`),
        headers: passedOn(exchange.headers, clientIp, requestId),
        body: BODILESS.has(method) ? null : body,
        headersTimeout: REQUEST_DEADLINE_MS,
        // A stream may be silent. When its node is replaced, its connections are closed.
        bodyTimeout: 0,
      });
    } catch (error) {
      if (wasNeverSent(error as NodeJS.ErrnoException)) {
        meter.passings.add('unreachable');
        return { kind: 'unreachable' };
      }
      meter.passings.add('unknown');
      throw unknownFate();
    }
    const { statusCode: status, headers } = answer;
    if (status === MISDIRECTED) {
      await answer.body.dump();
      meter.passings.add('not_home');
      return { kind: 'not-home' };
    }
    meter.passings.add('answered');
    meter.passMs.record(clock.nowMs() - startedMs);
    if (String(headers['content-type']).startsWith('text/event-stream')) this.#passStream(exchange, answer, caller!);
    else await passAnswer(exchange, answer);
    return { kind: 'answered', status };
  }

  #passStream(exchange: Exchange, { headers, body }: Answer, caller: Caller): void {
    const channel = exchange.respondWithEvents(passedBack(headers), () => {
      this.#streams.delete(stream);
      stream.read();
      body.destroy();
    });
    const stream = new PassedStream(exchange, caller, channel, this.#parts.clock);
    this.#streams.add(stream);
    // Destroying it is an error to its readers.
    body.on('error', () => channel.close());
    body.on('data', (chunk: Uint8Array) => {
      if (channel.write(chunk)) return;
      body.pause();
      stream.unread();
    });
    channel.onDrain(() => {
      stream.read();
      body.resume();
    });
    body.on('end', () => channel.end());
  }

  /** Keeps connections to these nodes only. */
  keep(nodes: readonly PeerNode[]): void {
    const addresses = new Set(nodes.map(({ address }) => address));
    for (const [address, { requests, streams }] of this.#pools) {
      if (addresses.has(address)) continue;
      this.#pools.delete(address);
      for (const pool of [requests, streams]) pool.destroy().catch(() => {});
    }
  }

  close(): void {
    this.keep([]);
  }

  #poolsOf(address: string): PeerPools {
    let pools = this.#pools.get(address);
    if (pools === undefined) {
      const connect = {
        ...PEER_TLS,
        timeout: PEER_CONNECT_MS,
        pskCallback: () => ownKey(this.#parts.secretBox),
        // The key proves who it is; there is no certificate.
        checkServerIdentity: () => undefined,
      };
      const pool = (connections: number) => new Pool(`https://${address}`, { connections, pipelining: 1, connect });
      pools = { requests: pool(PEER_CONNECTIONS_MAX), streams: pool(STREAMS_MAX) };
      this.#pools.set(address, pools);
    }
    return pools;
  }
}

type Answer = Awaited<ReturnType<Pool['request']>>;

async function passAnswer(exchange: Exchange, { statusCode, headers, body }: Answer): Promise<void> {
  let bytes: Uint8Array;
  const length = Number(headers['content-length'] ?? 0);
  if (length > PEER_ANSWER_BYTES_MAX) {
    body.destroy();
    throw new ApiError('internal_error');
  }
  try {
    bytes = await body.bytes();
  } catch {
    throw unknownFate();
  }
  // The length of what a HEAD request leaves out.
  exchange.respond(statusCode, passedBack(headers), exchange.method === 'HEAD' ? new Uint8Array(length) : bytes);
}

/** FW1. A pool that is destroyed may have sent it. */
function wasNeverSent({ code = '', syscall }: NodeJS.ErrnoException): boolean {
  return DIALLING.has(code) || syscall === 'connect';
}

/** FW1 */
function unknownFate(): ApiError {
  return busy();
}
