// The payload of a test: a feed's envelope with a message. It lets a customer try a receiver without a session.

export function samplePayload(feedId: string, seriesId: string, wallMs: number): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      feed: feedId,
      seriesId,
      sessionId: 'test',
      sequence: 0,
      utc: new Date(wallMs).toISOString(),
      data: { message: 'This is a test delivery: the endpoint is registered and the signature can be checked.' },
    }),
  );
}
