// Invalid messages in otherwise valid sessions: with values of other types, with missing values, repeated, in another
// order. The deriver skips invalid messages and never fails.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { FRAME_BYTES_MAX } from '#engine/base/limits.ts';
import { SourceError } from '#engine/base/source-error.ts';
import { demoSessionFrames } from '#engine/intake/source/demo-session/demo-session.ts';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import { driverSlug } from '#engine/racing/driver-slug.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { inflated, isCompressed } from '#engine/racing/normalise/samples.ts';
import { seriesOf } from '#engine/racing/series/known-series.ts';
import { eventIdOf } from '#engine/racing/session-slug.ts';
import type { Timeline } from '#engine/timeline/timeline.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { PAYLOAD_SCHEMAS, serialisePayload } from '#schemas/webhook/payloads.ts';
import { compressed } from '#test/racing/compressed-message.ts';
import { F1_SESSIONS } from '#test/racing/golden/golden-sessions.ts';
import { framesOf, PARTIAL_SESSIONS, WHOLE_SESSIONS } from '#test/racing/real-sessions.ts';
import { at, DRIVERS, raceUnderWay } from '#test/racing/scripted-session.ts';
import { KART_RACE } from '#test/racing/series/kart-race.ts';
import { topicSamples } from '#test/racing/topic-samples.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { damagedBytes, damagedJson, oddJson, place } from './damage.ts';
import { EVERY_TOPIC } from './every-topic.ts';
import { Cases, fuzzRuns } from './runs.ts';

const ajv = new Ajv({ allowUnionTypes: true, strict: true });
const validators = new Map(FEEDS.map(({ feedId }) => [feedId as string, ajv.compile(PAYLOAD_SCHEMAS[feedId])]));

/** Derives the frames as a live session does, and checks every payload. */
function derive(seriesId: string, frames: readonly Frame[], cases: Cases): Timeline {
  const builder = new TimelineBuilder({ sessionId: 's', seriesId }, (feed, payload) => {
    const text = serialisePayload(feed, payload);
    const validate = validators.get(feed)!;
    if (!validate(JSON.parse(text))) assert.fail(`${feed}: ${ajv.errorsText(validate.errors)} in ${text}`);
    return text;
  });
  const deriver = new SessionDeriver(builder, seriesOf(seriesId));
  for (const frame of frames) {
    const refused = deriver.apply(frame);
    if (refused !== null && !(refused instanceof SourceError)) throw refused;
    cases.add(refused === null ? 'taken' : 'refused');
    const failed = deriver.analyse();
    if (failed !== null) throw failed;
  }
  deriver.outcome();
  return builder.build(frames.length, frames.at(-1)?.utcMs ?? 0);
}

/**
 * The property: frames derive without failure, to the same bytes each time (I7), in an order that a replay can play.
 */
function check(seriesId: string, frames: readonly Frame[], cases: Cases): void {
  const first = derive(seriesId, frames, cases);
  const again = derive(seriesId, frames, cases);
  assert.deepEqual(again.info, first.info);
  assert.equal(Buffer.compare(again.columns.bodies, first.columns.bodies), 0);
  assert.deepEqual(again.columns.dueMs, first.columns.dueMs);
  for (let position = 1; position < first.length; position++) {
    assert.ok(
      first.columns.dueMs[position]! >= first.columns.dueMs[position - 1]!,
      `update ${position} is due in order`,
    );
  }
}

const HOUR_MS = 3_600_000;
/** Milliseconds by which a message is late. */
const delay = fc.oneof(
  { arbitrary: fc.constant(0), weight: 8 },
  fc.constantFrom(0.25, 1, 999, 10_000, 15_000, 60_000, HOUR_MS, 24 * HOUR_MS),
);

interface Disturbance {
  readonly part: number;
  readonly how: 'damage' | 'drop' | 'repeat' | 'move' | 'delay';
  readonly to: number;
  readonly delayMs: number;
}

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  part: place,
  how: fc.constantFrom('damage', 'damage', 'damage', 'damage', 'drop', 'repeat', 'move', 'delay'),
  to: place,
  delayMs: delay,
});

/** Frames, some of them damaged, missing, repeated, late or moved. Times never decrease, as sources guarantee. */
function disturbed(frames: readonly Frame[], head = 0): fc.Arbitrary<Frame[]> {
  return fc.array(disturbance, { minLength: 1, maxLength: 40, size: 'max' }).chain((disturbances) => {
    const changed = [...frames];
    const damaged = new Set<number>();
    const index = (part: number): number => head + Math.floor(part * (changed.length - head));
    for (const { part, how, to, delayMs } of disturbances) {
      const place = index(part);
      const frame = changed[place];
      if (frame === undefined) continue;
      if (how === 'damage') damaged.add(place);
      else if (how === 'drop') changed.splice(place, 1);
      else if (how === 'repeat') changed.splice(index(to), 0, frame);
      else if (how === 'move') changed.splice(index(to), 0, ...changed.splice(place, 1));
      else
        for (let i = place; i < changed.length; i++)
          changed[i] = { ...changed[i]!, utcMs: changed[i]!.utcMs + delayMs };
    }
    let utcMs = 0;
    return fc.tuple(
      ...changed.map((frame, place) => {
        utcMs = Math.max(utcMs, frame.utcMs);
        const inTime = { ...frame, utcMs };
        return damaged.has(place) ? damagedFrame(inTime) : fc.constant(inTime);
      }),
    );
  });
}

function damagedFrame(frame: Frame): fc.Arbitrary<Frame> {
  const json = isCompressed(frame.topic) ? damagedSamples(frame.json) : damagedMessage(frame.json);
  return json.map((text) => ({ ...frame, json: text }));
}

const damagedMessage = (json: string): fc.Arbitrary<string> =>
  fc.oneof(
    { arbitrary: damagedJson(json), weight: 8 },
    oddJson,
    damagedBytes([json]).map((bytes) => bytes.toString()),
  );

function damagedSamples(json: string): fc.Arbitrary<string> {
  let text: string;
  try {
    text = JSON.stringify(inflated(JSON.parse(json)));
  } catch {
    return damagedMessage(json);
  }
  return fc.oneof(
    { arbitrary: damagedJson(text).map(compressed), weight: 4 },
    damagedBytes([Buffer.from(JSON.parse(json), 'base64')]).map((bytes) => JSON.stringify(bytes.toString('base64'))),
    damagedMessage(json),
  );
}

/** The start of a session, which later messages need, followed by a piece from the middle. */
function excerpt(frames: readonly Frame[], headFrames: number, frameCount: number): fc.Arbitrary<Frame[]> {
  const from = fc.integer({ min: headFrames, max: Math.max(headFrames, frames.length - frameCount) });
  return from.chain((start) => disturbed([...frames.slice(0, headFrames), ...frames.slice(start, start + frameCount)]));
}

test('I7: a scripted race with every topic derives without failure, whatever happens to its messages', (t) => {
  const cases = new Cases(t, 'frames');
  fc.assert(
    fc.property(disturbed(EVERY_TOPIC), (frames) => check('f1', frames, cases)),
    fuzzRuns(60),
  );
});

test('I7: the built-in race derives without failure, whatever happens to its messages', (t) => {
  const cases = new Cases(t, 'frames');
  const frames = demoSessionFrames();
  fc.assert(
    fc.property(excerpt(frames, 20, 250), (changed) => check('f1', changed, cases)),
    fuzzRuns(10),
  );
});

test('I7: karting derives without failure, whatever happens to its messages', (t) => {
  const cases = new Cases(t, 'frames');
  fc.assert(
    fc.property(disturbed(KART_RACE), (frames) => check('karting', frames, cases)),
    fuzzRuns(60),
  );
});

test('I7: golden sessions derive without failure, whatever happens to their messages', (t) => {
  const cases = new Cases(t, 'frames');
  const session = fc.constantFrom(...F1_SESSIONS).chain(({ frames }) => excerpt(frames, 30, 300));
  fc.assert(
    fc.property(session, (frames) => check('f1', frames, cases)),
    fuzzRuns(8),
  );
});

if (WITHOUT_RECORDINGS === false) {
  test('I7: real sessions derive without failure, whatever happens to their messages', (t) => {
    const cases = new Cases(t, 'frames');
    const sessions = [...WHOLE_SESSIONS, ...PARTIAL_SESSIONS];
    const session = fc.constantFrom(...sessions).chain((name) => excerpt(framesOf(name), 30, 300));
    fc.assert(
      fc.property(fc.oneof(session, excerpt(topicSamples(), 0, 300)), (frames) => check('f1', frames, cases)),
      fuzzRuns(8),
    );
  });
}

/** Laps of the whole field, so that the models have data. */
function laps(count: number): Frame[] {
  return Array.from({ length: count }, (_, lap) => [
    at(90 * (lap + 1), 'LapCount', { CurrentLap: 11 + lap }),
    ...Object.keys(DRIVERS).map((number, index) => {
      const LastLapTime = { Value: `1:2${index}.${100 + ((lap * 37) % 800)}` };
      return at(90 * (lap + 1) + index, 'TimingData', { Lines: { [number]: { NumberOfLaps: 10 + lap, LastLapTime } } });
    }),
  ]).flat();
}

test('names of built-in object properties are ordinary names', (t) => {
  const cases = new Cases(t, 'frames');
  assert.equal(eventIdOf(2026, 'Constructor Grand Prix'), '2026-constructor');
  assert.equal(driverSlug('constructor'), 'constructor');
  // Kept: the tire's share of a race was once looked up as that function, which gave NaN.
  const stints = { 0: { Compound: 'constructor', New: 'true', TotalLaps: 3 } };
  const tires = at(5, 'TimingAppData', { Lines: { 1: { Stints: stints }, 4: { Stints: stints } } });
  check('f1', [...raceUnderWay(), tires, ...laps(10)], cases);
});

test('samples that unpack to more than a frame may hold are refused', (t) => {
  const cases = new Cases(t, 'frames');
  const sizes = [FRAME_BYTES_MAX - 100, FRAME_BYTES_MAX + 1, 8 * FRAME_BYTES_MAX];
  const bomb = (bytes: number): Frame =>
    at(60, 'CarData.z', deflateRawSync(Buffer.alloc(bytes, ' ')).toString('base64'));
  for (const bytes of sizes) check('f1', [...raceUnderWay(), bomb(bytes)], cases);
  const deriver = new SessionDeriver(
    new TimelineBuilder({ sessionId: 's', seriesId: 'f1' }, serialisePayload),
    seriesOf('f1'),
  );
  assert.match(String(deriver.apply(bomb(8 * FRAME_BYTES_MAX))), /SourceError: CarData\.z.*larger than/);
});
