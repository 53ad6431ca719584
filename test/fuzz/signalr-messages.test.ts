// Arbitrary texts from a live-timing server: each is skipped or becomes a message that can be recorded.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageType } from '@microsoft/signalr';
import fc from 'fast-check';
import type { JsonObject } from '#engine/base/json-value.ts';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import type { LiveMessage } from '#engine/intake/source/live-source.ts';
import { FEED, SignalrProtocol, STATE } from '#engine/intake/source/signalr-protocol.ts';
import { snapshotOf } from '#engine/intake/source/signalr-snapshot.ts';
import { UnusableMessages } from '#engine/intake/source/unusable-messages.ts';
import { silentLog } from '#test/support/database.ts';
import { damagedBytes, damagedJson, oddJson } from './damage.ts';
import { Cases, fuzzRuns } from './runs.ts';

const TOPICS = new Set(['Heartbeat', 'CarData.z', 'TimingData', 'SessionInfo']);
const clock = { nowMs: () => 1, wallMs: () => 1 };
const INVOCATION_ID = '7';

const feed = (topic: string, data: unknown, utc: string): string =>
  JSON.stringify({ type: 1, target: 'feed', arguments: [topic, data, utc] });
const RECORDS = [
  feed('TimingData', { Lines: { 4: { Position: '1', Sectors: [{ Value: '27.1' }] } } }, '2026-05-03T12:00:00.123Z'),
  feed('CarData.z', '7ZSx', '2026-05-03T12:00:01Z'),
  JSON.stringify({
    type: 3,
    invocationId: INVOCATION_ID,
    result: {
      Heartbeat: { Utc: '2026-05-03T12:00:00Z', _kf: true },
      'CarData.z': '7ZSx',
      TimingData: { Lines: { 4: { Position: '1' } } },
      SessionInfo: null,
    },
  }),
  '{"type":6}',
  '{"type":7,"error":"closed","allowReconnect":true}',
];

const record = fc.oneof(
  fc.constantFrom(...RECORDS),
  fc.constantFrom(...RECORDS).chain(damagedJson),
  damagedBytes(RECORDS).map((bytes) => bytes.toString()),
  oddJson,
  oddJson.map((json) => `{"type":1,"target":"feed","arguments":["TimingData",${json},"2026-05-03T12:00:00Z"]}`),
  oddJson.map((json) => `{"type":3,"invocationId":"${INVOCATION_ID}","result":${json}}`),
);

/** Kept: nested deeper than `JSON.stringify` can write, though `JSON.parse` reads it. */
const DEEP = `{"type":1,"target":"feed","arguments":["TimingData",${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)},0]}`;

test('any text from a live-timing server becomes messages that can be recorded, or is skipped', (t) => {
  const cases = new Cases(t, 'records');
  fc.assert(
    fc.property(fc.array(record, { maxLength: 6 }), (records) => {
      const unusableMessages = new UnusableMessages(silentLog, (text) => text);
      const protocol = new SignalrProtocol({ topics: TOPICS, clock, unusableMessages, received() {} });
      protocol.writeMessage({
        type: MessageType.Invocation,
        target: 'Subscribe',
        invocationId: INVOCATION_ID,
        arguments: [],
        streamIds: [],
      });
      const kept: LiveMessage[] = [];
      // A record that contains an end mark is several records.
      for (const message of protocol.parseMessages(`${records.join('\x1e')}\x1e`)) {
        if (message.type !== MessageType.Invocation) continue;
        if (message.target === FEED) {
          checkMessage(message.arguments[0] as LiveMessage);
          kept.push(message.arguments[0] as LiveMessage);
          continue;
        }
        assert.equal(message.target, STATE);
        const plain = kept.filter(({ topic }) => !topic.endsWith('.z'));
        const { topics, missing } = snapshotOf(TOPICS, message.arguments[0] as JsonObject, plain, unusableMessages);
        for (const state of topics) checkMessage(state);
        assert.deepEqual([...topics.map(({ topic }) => topic), ...missing].sort(), [...TOPICS].sort());
      }
      for (const _ of records) cases.add();
    }),
    { ...fuzzRuns(1_500), examples: [[[DEEP, RECORDS[2]!]]] },
  );
});

function checkMessage({ topic, json, utcMs }: LiveMessage): void {
  assert.ok(TOPICS.has(topic));
  assert.ok(utcMs === null || Number.isFinite(utcMs));
  assert.ok(!/[\r\n]/.test(json) && Buffer.byteLength(json) <= FRAME_BYTES_MAX);
  const data: unknown = JSON.parse(json);
  assert.equal(typeof data, topic.endsWith('.z') ? 'string' : 'object');
}
