// The updates of a replay over gRPC, as a customer's program reads them with the published schema.

import { fileURLToPath } from 'node:url';
import {
  type ClientReadableStream,
  credentials,
  loadPackageDefinition,
  Metadata,
  type ServiceClientConstructor,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { StreamedUpdate } from './followed-stream.ts';

const PROTO = fileURLToPath(new URL('../../schemas/grpc/slipstream/v1/updates.proto', import.meta.url));

/** From the first update on. `address`: `http://HOST:PORT`. Throws when the call ends otherwise than with OK. */
export async function* grpcUpdates(
  address: string,
  token: string,
  runId: string,
  signal: AbortSignal,
): AsyncGenerator<StreamedUpdate, void, undefined> {
  const definition = loadSync(PROTO, { keepCase: true, longs: Number, defaults: true });
  const api = loadPackageDefinition(definition) as unknown as {
    readonly slipstream: { readonly v1: { readonly Updates: ServiceClientConstructor } };
  };
  const client = new api.slipstream.v1.Updates(new URL(address).host, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const call = client.Subscribe!({ run: runId, resume_after: 0 }, metadata) as ClientReadableStream<{
    readonly sequence: number;
    readonly json: Uint8Array;
  }>;
  const cancel = (): void => call.cancel();
  signal.addEventListener('abort', cancel);
  try {
    for await (const { sequence, json } of call) yield { sequence, body: json };
  } finally {
    signal.removeEventListener('abort', cancel);
    client.close();
  }
}
