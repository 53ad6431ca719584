// A client of gRPC in tests: grpc-js with the published updates.proto, as a customer uses it.

import { fileURLToPath } from 'node:url';
import {
  type ChannelCredentials,
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
  type ServiceError,
  type StatusObject,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { eventually } from './patience.ts';

export const PROTO = fileURLToPath(new URL('../../schemas/grpc/slipstream/v1/updates.proto', import.meta.url));

export interface ReceivedUpdate {
  readonly feed: string;
  readonly session_id: string;
  readonly sequence: number;
  readonly utc: { readonly seconds: number; readonly nanos: number };
  readonly json: Buffer;
  readonly cursor: string;
}

export interface UpdateCall {
  readonly updates: ReceivedUpdate[];
  readonly bodies: () => string[];
  readonly sequences: () => number[];
  /** Of the initial metadata; null before it has come. */
  readonly firstCursor: () => string | null;
  /** Null while it is open. */
  readonly status: () => StatusObject | null;
  /** Our code in the trailing metadata. */
  readonly code: () => string | undefined;
  readonly received: (count: number) => Promise<void>;
  readonly ended: () => Promise<StatusObject>;
  readonly leave: () => void;
  readonly call: ClientReadableStream<ReceivedUpdate>;
}

export interface GrpcClient {
  subscribe(request: object, options?: { readonly deadlineMs?: number }): UpdateCall;
  /** Resolves with the answer, or rejects with a ServiceError. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check answers whose type is not certain
  ask(method: 'Sessions' | 'Snapshot', request: object): Promise<any>;
  close(): void;
}

export function grpcClient(
  address: string,
  token: string | null,
  { tls = credentials.createInsecure(), metadata: more = {} as Record<string, string>, options = {} as object } = {},
): GrpcClient {
  const definition = loadSync(PROTO, { keepCase: true, longs: Number, defaults: true });
  // biome-ignore lint/suspicious/noExplicitAny: the library makes the package from the file
  const api = loadPackageDefinition(definition) as any;
  const client = new (api.slipstream.v1.Updates as ServiceClientConstructor)(
    address,
    tls as ChannelCredentials,
    options,
  );
  const metadata = (): Metadata => {
    const set = new Metadata();
    if (token !== null) set.set('authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(more)) set.set(name, value);
    return set;
  };
  return {
    subscribe(request, { deadlineMs } = {}) {
      const deadline = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
      return watched(client.Subscribe!(request, metadata(), deadline) as ClientReadableStream<ReceivedUpdate>);
    },
    ask: (method, request) =>
      new Promise((resolve, reject) => {
        client[method]!(request, metadata(), (error: ServiceError | null, answer: unknown) =>
          error === null ? resolve(answer) : reject(error),
        );
      }),
    close: () => client.close(),
  };
}

function watched(call: ClientReadableStream<ReceivedUpdate>): UpdateCall {
  const updates: ReceivedUpdate[] = [];
  let firstCursor: string | null = null;
  let status: StatusObject | null = null;
  call.on('metadata', (metadata: Metadata) => {
    firstCursor = String(metadata.get('slipstream-cursor')[0] ?? '');
  });
  call.on('data', (update: ReceivedUpdate) => updates.push(update));
  call.on('error', () => {});
  call.on('status', (given: StatusObject) => {
    status = given;
  });
  return {
    updates,
    bodies: () => updates.map(({ json }) => json.toString()),
    sequences: () => updates.map(({ sequence }) => sequence),
    firstCursor: () => firstCursor,
    status: () => status,
    code: () => status?.metadata.get('slipstream-code')[0]?.toString(),
    async received(count) {
      await eventually(`${count} updates`, () => updates.length >= count);
    },
    async ended() {
      await eventually('the end of the call', () => status !== null);
      return status!;
    },
    leave: () => call.cancel(),
    call,
  };
}
