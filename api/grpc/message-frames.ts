// Messages of gRPC in their frames: a byte that says they are not compressed, their length, then the message.

export const FRAME_HEAD_BYTES = 5;

export function framed(message: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(FRAME_HEAD_BYTES + message.length);
  frame.writeUInt8(0, 0);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, FRAME_HEAD_BYTES);
  return frame;
}
