// Messages of gRPC in their frames: a byte that says they are not compressed, their length, then the message. What is due
// together is one write of the connection, which costs a small part of one for each message.
//
// The library frames what a method's serialiser returns: it writes a head for `byteLength` bytes, then has them copied
// behind it. These bytes have their own heads, so the copy begins at the library's and takes its place.

import { assert } from '#engine/base/assert.ts';

export const FRAME_HEAD_BYTES = 5;

export function framed(message: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + message.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, FRAME_HEAD_BYTES);
  return frame;
}

/** One or more messages, as the library takes one. */
export class MessageFrames {
  readonly #frames: Uint8Array;

  constructor(frames: Uint8Array) {
    this.#frames = frames;
  }

  get byteLength(): number {
    return this.#frames.length - FRAME_HEAD_BYTES;
  }

  copy(target: Uint8Array, at: number): void {
    assert(at === FRAME_HEAD_BYTES, 'the library has written one head');
    target.set(this.#frames, 0);
  }
}
