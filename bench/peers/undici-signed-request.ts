// One request of a bare loop over undici's `dispatch`: it makes the engine's two signatures with the engine's signer.

import type { Dispatcher } from 'undici';
import type { Signer } from '#engine/delivery/sign/signer.ts';

export interface SignedRequest {
  /** For an agent; a pool has its own. */
  readonly origin?: string;
  readonly path: string;
  readonly id: string;
  readonly body: Uint8Array;
  readonly signer: Signer;
}

/** Calls `ended` after the response, or `failed` if it is not 200 or does not come. */
export function dispatchSigned(
  dispatcher: Dispatcher,
  { origin, path, id, body, signer }: SignedRequest,
  ended: () => void,
  failed: (error: Error) => void,
): void {
  const wallMs = Date.now();
  const timestamp = String(Math.floor(wallMs / 1000));
  dispatcher.dispatch(
    {
      ...(origin !== undefined && { origin }),
      path,
      method: 'POST',
      headers: [
        'content-type',
        'application/json',
        'X-Service-Signature',
        signer.signature(body),
        'webhook-id',
        id,
        'webhook-timestamp',
        timestamp,
        'webhook-signature',
        signer.standardSignature(id, timestamp, body, wallMs),
      ],
      body,
    },
    {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        if (statusCode !== 200) failed(new Error(`the receiver answered ${statusCode}`));
      },
      onResponseData() {},
      onResponseEnd: ended,
      onResponseError: (_controller, error) => failed(error),
    },
  );
}
