import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { SourceError } from '#engine/base/source-error.ts';
import { openSource } from '#engine/intake/source/open-source.ts';
import { localUtcMs, upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import { archiveFolder, SESSION_INFO, type TopicLines } from './archive.ts';

/** The start of the stream: the time of a frame at offset zero. */
function startOf(t: TestContext, topics: TopicLines): string {
  const folder = archiveFolder(t, { Zero: ['00:00:00.000{}'], ...topics });
  const zero = [...openSource(folder).frames()].find(({ topic }) => topic === 'Zero')!;
  return new Date(zero.utcMs).toISOString();
}

function compressed(message: unknown): string {
  return JSON.stringify(deflateRawSync(`\ufeff${JSON.stringify(message)}`).toString('base64'));
}

const HEARTBEAT = ['00:00:15.250{"Utc":"2018-04-29T12:00:15.2512345Z"}', '00:00:30.000{"Utc":"2018-04-29T19:00:00Z"}'];
const CAR_DATA = [
  `00:00:10.000${compressed({ Entries: [{ Utc: '2018-04-29T12:01:09.5Z' }, { Utc: '2018-04-29T12:01:09.8Z' }] })}`,
  `00:00:20.000${compressed({ Entries: [{ Utc: '2018-04-29T12:01:19.1Z' }] })}`,
];
const RACE_CONTROL = [
  '00:00:10.000{"Messages":[{"Utc":"2018-04-29T11:00:00"},{"Utc":"2018-04-29T12:02:10"}]}',
  '00:00:20.400{"Messages":{"2":{"Utc":"2018-04-29T12:02:20"}}}',
  '00:01:20.000{"Messages":{"3":{"Utc":"2018-04-29T12:02:20"}}}',
];

test('the session clock gives the start to the millisecond, even with repeated stamps', (t) => {
  const clock = ['00:00:03.110{"Utc":"2018-04-29T09:00:00Z"}', '00:00:04.110{"Utc":"2018-04-29T12:03:04.909Z"}'];
  const topics = { ExtrapolatedClock: clock, Heartbeat: HEARTBEAT, 'CarData.z': CAR_DATA };
  assert.equal(startOf(t, { SessionInfo: [SESSION_INFO], ...topics }), '2018-04-29T12:03:00.799Z');
});

test('without a session clock the sample with the least delay gives the start', (t) => {
  const damaged = ['00:00:05.000"not deflate"', ...CAR_DATA];
  const topics = { 'CarData.z': damaged, RaceControlMessages: RACE_CONTROL, Heartbeat: HEARTBEAT };
  assert.equal(startOf(t, { SessionInfo: [SESSION_INFO], ...topics }), '2018-04-29T12:00:59.800Z');
  const position = [`00:00:10.000${compressed({ Position: [{ Timestamp: '2018-04-29T12:00:10.25Z' }] })}`];
  assert.equal(startOf(t, { SessionInfo: [SESSION_INFO], 'Position.z': position }), '2018-04-29T12:00:00.250Z');
});

test('without samples the race control messages give the start, though some were sent late', (t) => {
  const topics = { RaceControlMessages: RACE_CONTROL, Heartbeat: HEARTBEAT };
  assert.equal(startOf(t, { SessionInfo: [SESSION_INFO], ...topics }), '2018-04-29T12:01:59.600Z');
});

test('without race control messages the first heartbeat with a time gives the start', (t) => {
  const topics = { Heartbeat: ['00:00:01.000{"Utc":"soon"}', ...HEARTBEAT], RaceControlMessages: [] };
  assert.equal(startOf(t, { SessionInfo: [SESSION_INFO], ...topics }), '2018-04-29T12:00:00.001Z');
});

test('without any of these the session counts as started on schedule', (t) => {
  const status = ['00:00:01.000{"Status":"Inactive"}', '00:05:00.000{"Status":"Started"}'];
  assert.equal(startOf(t, { SessionInfo: [SESSION_INFO], SessionStatus: status }), '2018-04-29T12:05:00.000Z');
  assert.equal(startOf(t, { SessionInfo: [SESSION_INFO] }), '2018-04-29T12:10:00.000Z');
});

test('an archive without any wall time is refused', (t) => {
  const folder = archiveFolder(t, { TimingData: ['00:00:01.000{}'] });
  assert.throws(() => openSource(folder), SourceError);
  assert.throws(() => openSource(folder), /nothing says when this session took place\. Add Heartbeat\.jsonStream/);
});

test('time stamps mean UTC with and without Z and may have seven decimals', () => {
  assert.equal(upstreamUtcMs('2018-04-29T12:13:42'), Date.UTC(2018, 3, 29, 12, 13, 42));
  assert.equal(upstreamUtcMs('2025-10-26T19:06:26.5Z'), Date.UTC(2025, 9, 26, 19, 6, 26, 500));
  assert.ok(
    Math.abs(upstreamUtcMs('2025-10-26T19:06:26.0012623Z')! - Date.UTC(2025, 9, 26, 19, 6, 26) - 1.2623) < 1e-3,
  );
  for (const value of ['0001-01-01T00:00:00', '2025-13-45T00:00:00', 'now', 12, null])
    assert.equal(upstreamUtcMs(value), null);
});

test('local times are converted by their offset, west of Greenwich too', () => {
  assert.equal(localUtcMs('2018-04-29T16:10:00', '04:00:00'), Date.UTC(2018, 3, 29, 12, 10));
  assert.equal(localUtcMs('2025-10-26T14:00:00', '-06:00:00'), Date.UTC(2025, 9, 26, 20));
  assert.equal(localUtcMs('2025-10-26T14:00:00', '05:30'), Date.UTC(2025, 9, 26, 8, 30));
  assert.equal(localUtcMs('2025-10-26T14:00:00', 'local'), null);
  assert.equal(localUtcMs('9999-12-31T23:59:59', '-01:00:00'), null);
});
