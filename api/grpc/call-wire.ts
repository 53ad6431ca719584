// The HTTP/2 stream of a call. The library keeps it to itself, but copies each message for each call. A hundred streams of one
// race were megabytes a second, which the collector freed in pauses of up to ten milliseconds; and every message was a write of its
// own. Frames that are written here are shared by all streams, and what is due together is one write.

import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { assert } from '#engine/base/assert.ts';

export interface CallWire {
  /** Takes frames that nobody changes any more. Returns false if it holds many: then write no more until it is drained. */
  write(frames: Uint8Array): boolean;
  once(event: 'drain', drained: () => void): unknown;
  /** Resets it with a code of HTTP/2, and gives up what its client has not read. */
  close(code: number): void;
}

/** `call`: as the library gives it to the only interceptor. */
export function wireOf(call: ServerInterceptingCallInterface): CallWire {
  const { stream } = call as unknown as { readonly stream?: CallWire };
  assert(typeof stream?.write === 'function', 'a call of the library has its HTTP/2 stream');
  return stream;
}
