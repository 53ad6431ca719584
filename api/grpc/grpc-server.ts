// The gRPC listener: frames and sends what streams have, and passes every question to the main thread.

import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  type Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation, protoPath as healthProto } from 'grpc-health-check';
import { type StreamEndCode, streamEndText } from '#api/http/stream-end.ts';
import { assert } from '#engine/base/assert.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import {
  GRPC_CALLS_MAX,
  GRPC_END_MS,
  GRPC_IDLE_MS,
  GRPC_KEEPALIVE_MS,
  GRPC_KEEPALIVE_TIMEOUT_MS,
  GRPC_MESSAGES_MAX,
  GRPC_METADATA_BYTES_MAX,
  GRPC_REQUEST_BYTES_MAX,
  GRPC_REQUEST_MS,
  GRPC_REVOKED_UNREAD_MS,
  GRPC_SESSION_MIB_MAX,
  GRPC_UNREAD_MS,
  RECORD_BATCH_MS,
} from '#engine/base/limits.ts';
import type { StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import { StreamHub, type StreamHubParts } from '#engine/delivery/stream/stream-hub.ts';
import type { UpdateStream } from '#engine/delivery/stream/update-stream.ts';
import { type CallWire, wireOf } from './call-wire.ts';
import { type Failure, failure, GrpcSink, MALFORMED, type UpdatesCall } from './grpc-call.ts';
import { GrpcConnections } from './grpc-connections.ts';
import type { FromGrpc, GrpcWish, ToGrpc } from './grpc-messages.ts';
import { END_STATUSES, REFUSAL_STATUSES } from './grpc-status.ts';
import { SentUpdates } from './sent-updates.ts';
import { encodeUpdate } from './update-message.ts';

export interface GrpcServerParts {
  readonly host: string;
  readonly port: number;
  /** PEM texts; null: plain, behind a proxy. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  readonly post: (message: FromGrpc) => void;
  readonly groupOf: (address: string) => string | null;
  readonly clock: TimerClock;
  readonly meter: StreamMeter;
  readonly watch: StreamHubParts['watch'];
  readonly later: StreamHubParts['later'];
  readonly hold: StreamHubParts['hold'];
  readonly deliveries: StreamHubParts['deliveries'];
}

export interface GrpcListener {
  readonly port: number;
  receive(message: Exclude<ToGrpc, { kind: 'close' }>): void;
  /** Ends what the main thread has not ended. Resolves when everything is closed. */
  close(): Promise<void>;
}

const FOLDER = fileURLToPath(new URL('../../schemas/grpc', import.meta.url));
const SERVICE = 'slipstream.v1.Updates';
/** Names as in updates.proto; a field that is not set is absent. */
const DEFINITION = loadSync(['slipstream/v1/updates.proto', healthProto], {
  includeDirs: [FOLDER],
  keepCase: true,
  longs: Number,
  arrays: true,
});

type Call =
  /** Of one answer. */
  | { readonly kind: 'unary'; readonly refuse: (error: Failure) => void; readonly answer: (answer: unknown) => void }
  /** A stream that the main thread has not opened yet. */
  | { readonly kind: 'opening'; readonly call: UpdatesCall }
  | { readonly kind: 'streaming'; readonly call: UpdatesCall; readonly stream: UpdateStream };

/** Starts the listener. Rejects if the port is taken. */
export async function listenForGrpc(parts: GrpcServerParts): Promise<GrpcListener> {
  return GrpcServer.start(parts);
}

class GrpcServer implements GrpcListener {
  readonly #parts: GrpcServerParts;
  readonly #server: Server;
  readonly #connections: GrpcConnections;
  readonly #health = new HealthImplementation({ '': 'SERVING', [SERVICE]: 'SERVING' });
  readonly #hub: StreamHub;
  readonly #calls = new Map<number, Call>();
  readonly #sent = new SentUpdates();
  /** Below the library's streams, by the metadata that they have. */
  readonly #wires = new WeakMap<Metadata, CallWire>();
  readonly #stopReports: () => void;
  #lastCall = 0;
  port = 0;

  static async start(parts: GrpcServerParts): Promise<GrpcServer> {
    const server = new GrpcServer(parts);
    server.port = await server.#connections.listen(parts.host, parts.port);
    return server;
  }

  private constructor(parts: GrpcServerParts) {
    this.#parts = parts;
    const { clock, meter, watch, later, hold, deliveries, tls, groupOf } = parts;
    this.#hub = new StreamHub({ clock, encode: encodeUpdate, watch, later, hold, deliveries, meter });
    this.#server = new Server({
      'grpc.enable_channelz': 0,
      'grpc.max_concurrent_streams': GRPC_CALLS_MAX,
      'grpc.max_receive_message_length': GRPC_REQUEST_BYTES_MAX,
      'grpc.keepalive_time_ms': GRPC_KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': GRPC_KEEPALIVE_TIMEOUT_MS,
      'grpc.max_connection_idle_ms': GRPC_IDLE_MS,
      'grpc-node.max_session_memory': GRPC_SESSION_MIB_MAX,
      interceptors: [this.#admit],
    });
    this.#server.addService(updatesService(), this.#methods());
    this.#health.addToServer(this.#server);
    new ReflectionService(DEFINITION).addToServer(this.#server);
    const credentials =
      tls === null
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }]);
    const injector = this.#server.createConnectionInjector(credentials);
    const take = (socket: Socket): void => injector.injectConnection(socket);
    this.#connections = new GrpcConnections({ clock, take, groupOf });
    this.#stopReports = clock.every(RECORD_BATCH_MS, async () => this.#report());
  }

  receive(message: Exclude<ToGrpc, { kind: 'close' }>): void {
    const call = this.#calls.get(message.call);
    if (call === undefined) return;
    switch (message.kind) {
      case 'opened':
        if (call.kind === 'opening') this.#open(call.call, message);
        return;
      case 'answered':
        if (call.kind === 'unary') call.answer(message.answer);
        return;
      case 'refused': {
        const { code, message: text, retryAfterS } = message.refusal;
        this.#refuse(message.call, call, failure(REFUSAL_STATUSES[code], code, text, retryAfterS));
        return;
      }
      case 'end':
        this.#end(message.call, message.code);
        return;
    }
    if (call.kind !== 'streaming') return;
    const { stream } = call;
    switch (message.kind) {
      case 'lane':
        stream.open(message.order);
        return;
      case 'pace':
        stream.pace(message.sessionId, message.pace, message.position);
        return;
      case 'stop':
        stream.stop(message.sessionId);
    }
  }

  async close(): Promise<void> {
    this.#health.setStatus('', 'NOT_SERVING');
    this.#health.setStatus(SERVICE, 'NOT_SERVING');
    this.#connections.close();
    for (const call of [...this.#calls.keys()]) this.#end(call, 'stopping');
    const { clock } = this.#parts;
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(GRPC_END_MS, resolve);
      this.#server.tryShutdown(() => {
        cancel();
        resolve();
      });
    });
    this.#connections.end();
    this.#server.forceShutdown();
    this.#stopReports();
    this.#report();
  }

  #methods(): UntypedServiceImplementation {
    return {
      Subscribe: (call: UpdatesCall) => this.#subscribe(call),
      Sessions: (call: ServerUnaryCall<unknown, unknown>, respond: sendUnaryData<unknown>) =>
        this.#ask('Sessions', call, respond),
      Snapshot: (call: ServerUnaryCall<unknown, unknown>, respond: sendUnaryData<unknown>) =>
        this.#ask('Snapshot', call, respond),
    };
  }

  #subscribe(call: UpdatesCall): void {
    if (call.request === NO_REQUEST) {
      call.emit('error', MALFORMED);
      return;
    }
    const no = this.#post('Subscribe', call);
    this.#calls.set(no, { kind: 'opening', call });
    call.once('cancelled', () => this.#leave(no));
  }

  #ask(
    method: 'Sessions' | 'Snapshot',
    call: ServerUnaryCall<unknown, unknown>,
    respond: sendUnaryData<unknown>,
  ): void {
    if (call.request === NO_REQUEST) {
      respond(MALFORMED);
      return;
    }
    const no = this.#post(method, call);
    const answer = (value: unknown): void => {
      this.#leave(no);
      this.#finish(call, () => respond(null, value));
    };
    this.#calls.set(no, { kind: 'unary', answer, refuse: respond });
    call.once('cancelled', () => this.#leave(no));
  }

  /** Asks the main thread. Returns the number of the call. */
  #post(method: GrpcWish['method'], call: UpdatesCall | ServerUnaryCall<unknown, unknown>): number {
    const no = ++this.#lastCall;
    const authorization = String(call.metadata.get('authorization')[0] ?? '');
    const forwardedFor = call.metadata.get('x-forwarded-for').join(',');
    const wish = { method, request: call.request } as GrpcWish;
    const peer = call.getPeer().replace(/:\d+$/, '');
    this.#parts.post({ kind: 'call', call: no, wish, authorization, forwardedFor, peer });
    return no;
  }

  #open(call: UpdatesCall, opened: Extract<ToGrpc, { kind: 'opened' }>): void {
    const { call: no, feeds, endless, awaited, lanes } = opened;
    const sink = new GrpcSink({ call, wire: this.#wireOf(call), place: awaited, drained: () => stream.drained() });
    const stream: UpdateStream = this.#hub.join({
      feeds,
      endless,
      awaited,
      sink,
      listener: {
        sent: (feed, isDemo, updates) => this.#sent.add(no, feed, isDemo, updates),
        ended: (code) => this.#end(no, code),
      },
    });
    this.#calls.set(no, { kind: 'streaming', call, stream });
    for (const order of lanes) stream.open(order);
    sink.begin();
  }

  #end(no: number, code: StreamEndCode): void {
    const call = this.#calls.get(no);
    if (call === undefined) return;
    if (code !== 'completed' || call.kind === 'unary') {
      const patienceMs = code === 'unauthorized' ? GRPC_REVOKED_UNREAD_MS : GRPC_UNREAD_MS;
      this.#refuse(no, call, failure(END_STATUSES[code], code, streamEndText(code, 'cursor')), patienceMs);
      return;
    }
    this.#leave(no);
    this.#finish(call.call, () => call.call.end());
  }

  #refuse(no: number, call: Call, error: Failure, patienceMs = GRPC_UNREAD_MS): void {
    this.#leave(no);
    if (call.kind === 'unary') call.refuse(error);
    else this.#finish(call.call, () => call.call.emit('error', error), patienceMs);
  }

  /** The status follows what the client has not read yet. The library says `cancelled` when a call is over, however it ended. */
  #finish(
    call: UpdatesCall | ServerUnaryCall<unknown, unknown>,
    finish: () => void,
    patienceMs = GRPC_UNREAD_MS,
  ): void {
    call.once('cancelled', this.#resetUnread(this.#wireOf(call), patienceMs));
    finish();
  }

  /**
   * Resets a call whose client reads nothing, unless the returned function is called before. Only the call: its connection may be
   * a proxy's, with the calls of others.
   */
  #resetUnread(wire: CallWire, patienceMs = GRPC_UNREAD_MS): () => void {
    return this.#parts.clock.schedule(patienceMs, () => wire.close(constants.NGHTTP2_CANCEL));
  }

  #wireOf({ metadata }: UpdatesCall | ServerUnaryCall<unknown, unknown>): CallWire {
    const wire = this.#wires.get(metadata);
    assert(wire !== undefined, 'every call was noticed');
    return wire;
  }

  /** The call is over, or its client has left. Does nothing the second time. */
  #leave(no: number): void {
    const call = this.#calls.get(no);
    if (call === undefined) return;
    this.#calls.delete(no);
    if (call.kind === 'streaming') this.#hub.leave(call.stream);
    this.#report();
    this.#parts.post({ kind: 'left', call: no });
  }

  #report(): void {
    if (this.#sent.isEmpty) return;
    this.#parts.post({ kind: 'sent', updates: this.#sent.take(), wallMs: this.#parts.clock.wallMs() });
  }

  /**
   * Notices calls, and refuses those with too much metadata, with too many messages or whose message does not come. What is
   * written for them or by the services of the library, and is not read, is given up like the end of a call of ours.
   */
  readonly #admit: ServerInterceptor = ({ requestStream }, call) => {
    this.#connections.called(call.getConnectionInfo());
    const { clock } = this.#parts;
    const wire = wireOf(call);
    let isRefused = false;
    let messages = 0;
    const giveUpUnread = (): void => {
      cancel();
      cancel = this.#resetUnread(wire);
    };
    const refuse = (refusal: Failure): void => {
      isRefused = true;
      giveUpUnread();
      call.sendStatus(refusal);
    };
    let cancel = clock.schedule(GRPC_REQUEST_MS, () => refuse(LATE));
    const listener = new ServerListenerBuilder()
      .withOnReceiveMetadata((metadata, next) => {
        if (bytesOf(metadata) > GRPC_METADATA_BYTES_MAX) {
          refuse(METADATA_TOO_LARGE);
          return;
        }
        this.#wires.set(metadata, wire);
        next(metadata);
      })
      .withOnReceiveMessage((message, next) => {
        if (isRefused) return;
        messages++;
        if (messages > GRPC_MESSAGES_MAX) refuse(TOO_MANY_MESSAGES);
        else next(message);
      })
      .withOnReceiveHalfClose((next) => {
        if (isRefused) return;
        // Calls of ours, which have one message, may be open for days.
        if (requestStream) giveUpUnread();
        else cancel();
        next();
      })
      .withOnCancel(() => cancel())
      .build();
    return new ServerInterceptingCall(call, { start: (next) => next(listener) });
  };
}

const LATE = failure(REFUSAL_STATUSES.request_timeout, 'request_timeout', 'The request did not arrive in time.');
const TOO_MANY_MESSAGES = failure(
  REFUSAL_STATUSES.body_too_large,
  'body_too_large',
  `The call has more than ${GRPC_MESSAGES_MAX} messages: begin another.`,
);
const METADATA_TOO_LARGE = failure(
  REFUSAL_STATUSES.body_too_large,
  'body_too_large',
  `The metadata is larger than ${GRPC_METADATA_BYTES_MAX / 1_024} KiB.`,
);

function bytesOf(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(metadata.toHttp2Headers())) {
    for (const text of Array.isArray(value) ? value : [value]) bytes += name.length + String(text).length;
  }
  return bytes;
}

/** Stands for a message that is not one of its method. */
const NO_REQUEST = {};

/** Requests that are not of their method become that, for an error of ours. */
function updatesService(): ServiceDefinition {
  const methods = Object.entries(DEFINITION[SERVICE] as ServiceDefinition).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): unknown => {
      try {
        return method.requestDeserialize(bytes);
      } catch {
        return NO_REQUEST;
      }
    };
    return [name, { ...method, requestDeserialize }];
  });
  return Object.fromEntries(methods);
}
