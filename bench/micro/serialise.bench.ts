// Serialising a payload to the bytes that every endpoint gets, for the most frequent feed and for race events: the
// compiled serialiser compared with JSON.stringify. Both include encoding to UTF-8, because only that flattens a
// concatenated string. The encoding is also measured alone.

import { type FeedId, feedNumber } from '#schemas/webhook/feeds.ts';
import { serialisePayload } from '#schemas/webhook/payloads.ts';
import { demoRace, type Payload } from './demo-race.ts';
import type { Operation } from './operation.ts';

const PAYLOADS = 256;

const encoder = new TextEncoder();
const target = new Uint8Array(64 * 1024);

export function prepare(): readonly Operation[] {
  const timing = payloadsOf('timing.data');
  const texts = timing.map((payload) => JSON.stringify(payload));
  const write = (): number => {
    let bytes = 0;
    for (const text of texts) bytes += encoder.encodeInto(text, target).written;
    return bytes;
  };
  return [
    ...serialisers('timing.data', timing),
    ...serialisers('events.race', payloadsOf('events.race')),
    { name: 'write a text as UTF-8', times: texts.length, answer: bytesOf(timing), lap: write },
  ];
}

function payloadsOf(feedId: FeedId): readonly Payload[] {
  const { payloads, timeline } = demoRace();
  const feed = feedNumber(feedId);
  return payloads.filter((_, position) => timeline.columns.feed[position] === feed).slice(-PAYLOADS);
}

function bytesOf(payloads: readonly Payload[]): number {
  return payloads.reduce((sum, payload) => sum + Buffer.byteLength(JSON.stringify(payload)), 0);
}

function serialisers(feedId: FeedId, payloads: readonly Payload[]): readonly Operation[] {
  const compiled = (): number => {
    let bytes = 0;
    for (const payload of payloads) bytes += encoder.encodeInto(serialisePayload(feedId, payload), target).written;
    return bytes;
  };
  const builtIn = (): number => {
    let bytes = 0;
    for (const payload of payloads) bytes += encoder.encodeInto(JSON.stringify(payload), target).written;
    return bytes;
  };
  const common = { times: payloads.length, answer: bytesOf(payloads) };
  return [
    { name: `body of ${feedId}`, ...common, lap: compiled },
    { name: `body of ${feedId}, JSON.stringify`, ...common, lap: builtIn },
  ];
}
