// The recorded messages of the upstream: each matches its schema, and every field is read or left out on purpose.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import type { Json } from '#engine/base/json-value.ts';
import { SessionDeriver } from '#engine/racing/derive/derive.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { inflated, isCompressed } from '#engine/racing/normalise/samples.ts';
import { F1 } from '#engine/racing/series/f1.ts';
import { f1FeedRows } from '#engine/racing/series/f1-feeds.ts';
import { SessionState } from '#engine/racing/session/session-state.ts';
import { TimelineBuilder } from '#engine/timeline/timeline-builder.ts';
import { UPSTREAM_MESSAGES } from '#schemas/upstream/messages.ts';
import { WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { F1_SESSIONS } from './golden/golden-sessions.ts';
import { ALL_SESSIONS, DUMPED_SESSIONS, recorded } from './real-sessions.ts';
import { topicSamples } from './topic-samples.ts';

/** Fields that no feed has, with the reason. `*` stands for a racing number, an index or the name of a team. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'ChampionshipPrediction.Drivers..CurrentPoints': 'the driver of these points is not named',
  'ChampionshipPrediction.Drivers..CurrentPosition': 'the driver of these points is not named',
  'ChampionshipPrediction.Drivers..PredictedPoints': 'the driver of these points is not named',
  'ChampionshipPrediction.Drivers..PredictedPosition': 'the driver of these points is not named',
  'ChampionshipPrediction.Drivers..RacingNumber': 'the driver of these points is not named',
  'ChampionshipPrediction.Drivers.*.RacingNumber': 'its key says it',
  'ChampionshipPrediction.Teams.*.TeamName': 'a name without a standing is no news; with one it is in the payload',
  'DriverList.*.NameFormat': 'which name comes first does not matter where both have a field',
  'DriverList.*.PublicIdRight': 'a place in the image library of the timing source',
  'DriverRaceInfo.*.RacingNumber': 'its key says it',
  'LapSeries.*.RacingNumber': 'its key says it',
  'PitLaneTimeCollection.PitTimes.*': 'that a time is no longer shown is no news',
  'PitLaneTimeCollection.PitTimes.*.RacingNumber': 'its key says it',
  'SessionInfo.ArchiveStatus.Status': 'whether the archive of the timing source is complete',
  'SessionInfo.Number': 'the name says it: Practice 1',
  'SessionInfo.SessionStatus': 'session.status says it, from its own topic',
  'TimingAppData.Lines.*.Line': 'timing.data says it as the position',
  'TimingAppData.Lines.*.RacingNumber': 'its key says it',
  'TimingData.Lines.*.LastLapTime.Status': 'always 0',
  'TimingData.Lines.*.Line': 'Position says the same',
  'TimingData.Lines.*.RacingNumber': 'its key says it',
  'TimingData.Lines.*.Sectors.*.PreviousValue': 'the time of the previous lap, which was published then',
  'TimingData.Lines.*.Sectors.*.Status': 'always 0',
  'TimingData.Lines.*.Speeds.FL.Status': 'always 0',
  'TimingData.Lines.*.Speeds.I1.Status': 'always 0',
  'TimingData.Lines.*.Speeds.I2.Status': 'always 0',
  'TimingData.Lines.*.Speeds.ST.Status': 'always 0',
  'TimingStats.Lines.*.Line': 'timing.data says it as the position',
  'TimingStats.Lines.*.RacingNumber': 'its key says it',
  'TimingStats.SessionType': 'session.info says it',
  'TimingStats.Withheld': 'timing.data says it',
  'TopThree.Lines.*.BroadcastName': 'the identity says who it is',
  'TopThree.Lines.*.FirstName': 'the identity says who it is',
  'TopThree.Lines.*.FullName': 'the identity says who it is',
  'TopThree.Lines.*.LastName': 'the identity says who it is',
  'TopThree.Lines.*.NameFormat': 'which name comes first does not matter where both have a field',
  'TopThree.Lines.*.Position': 'the line says it',
  'TopThree.Lines.*.Reference': 'the identity says who it is',
  'TopThree.Lines.*.Team': 'the identity says who it is',
  'TopThree.Lines.*.TeamColour': 'timing.driver-info says it',
  'TopThree.Lines.*.Tla': 'the identity says who it is',
  'TrackStatus.Message': 'Status says it as a code',
};

const ajv = new Ajv({ allowUnionTypes: true });
const validators = new Map(Object.entries(UPSTREAM_MESSAGES).map(([topic, schema]) => [topic, ajv.compile(schema)]));
const topicsRead = new Set(f1FeedRows().map(({ topic }) => topic));

function* recordings(): Generator<[name: string, frames: readonly Frame[]]> {
  for (const { sessionId, frames } of F1_SESSIONS) yield [sessionId, frames];
  for (const { sessionId, frames } of recorded(...ALL_SESSIONS, ...DUMPED_SESSIONS)) yield [sessionId, frames];
  if (WITHOUT_RECORDINGS === false) yield ['topic samples', topicSamples()];
}

function messageOf({ topic, json }: Frame): Json {
  return isCompressed(topic) ? inflated(JSON.parse(json)) : JSON.parse(json);
}

/** Has the same tires as TimingAppData. */
const ECHO = 'TyreStintSeries';

/** Derives frames, and returns for each the feeds in which it made updates, without race events. */
class FeedRecorder {
  readonly #feeds: string[] = [];
  readonly #deriver: SessionDeriver;

  constructor() {
    const serialise = (feed: string): string => {
      if (feed !== 'events.race') this.#feeds.push(feed);
      return '{}';
    };
    this.#deriver = new SessionDeriver(new TimelineBuilder({ sessionId: 's', seriesId: 'f1' }, serialise), F1);
  }

  feedsOf(frame: Frame): readonly string[] {
    this.#feeds.length = 0;
    this.#deriver.apply(frame);
    return this.#feeds;
  }
}

type Path = readonly string[];

/** Yields every value in a message or a change tree, with its path. Empty collections have no values. */
function* valuesIn(tree: unknown, path: Path): Generator<[path: Path, value: unknown]> {
  if (typeof tree !== 'object' || tree === null) yield [path, tree];
  else for (const [key, value] of Object.entries(tree)) yield* valuesIn(value, [...path, key]);
}

/** `TimingData.Lines.44.Position` is `TimingData.Lines.*.Position`. */
function patternOf(path: Path): string {
  return path.map((key, index) => (/^\d+$/.test(key) || path[index - 1] === 'Teams' ? '*' : key)).join('.');
}

test('every topic that makes a feed has a schema', () => {
  for (const topic of topicsRead) assert.ok(validators.has(topic), topic);
  for (const topic of validators.keys()) assert.ok(topicsRead.has(topic), topic);
});

test('every recorded message matches its schema', () => {
  for (const [name, frames] of recordings()) {
    for (const frame of frames) {
      const validate = validators.get(frame.topic);
      if (validate === undefined || validate(messageOf(frame))) continue;
      assert.fail(`${name} ${frame.topic}: ${ajv.errorsText(validate.errors)} in ${frame.json.slice(0, 300)}`);
    }
  }
});

test('a recorded message without an update changes nothing, and every recorded field makes one when it alone changes, but for fields left out on purpose', () => {
  const silent = new Set<string>();
  for (const [name, frames] of recordings()) {
    const examples = new Map<string, Path>();
    const tires = new TireValues();
    // Two topics have the same tires, and a value from one is not emitted again for the other. So each topic has its
    // own recorder.
    const recorder = new FeedRecorder();
    const echo = frames.some(({ topic }) => topic === ECHO) ? new FeedRecorder() : recorder;
    const state = new SessionState(F1.facts);
    let utcMs = 0;
    for (const frame of frames) {
      const isEmitted = recorder.feedsOf(frame).length > 0;
      if (echo !== recorder) echo.feedsOf(frame);
      utcMs = frame.utcMs;
      if (!topicsRead.has(frame.topic) || isCompressed(frame.topic)) continue;
      const changes = state.apply(frame.topic, messageOf(frame));
      const isSilent = !isEmitted && changes !== null && !hasUnknownDrivers(frame, changes, state);
      for (const [path, value] of valuesIn(changes ?? {}, [frame.topic])) {
        const pattern = patternOf(path);
        if (value !== undefined) examples.set(pattern, path);
        if (tires.isEcho(path, value) || !isSilent) continue;
        assert.ok(pattern in LEFT_OUT, `${name}: ${path.join('.')} at ${new Date(frame.utcMs).toISOString()}`);
      }
    }
    for (const [pattern, [topic, ...keys]] of examples) {
      const value = valueAt(state.topic(topic!), keys);
      const message = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), another(value));
      const frame = { topic: topic!, utcMs, json: JSON.stringify(message) };
      const isEmitted = (topic === ECHO ? echo : recorder).feedsOf(frame).length > 0;
      if (isEmitted) assert.ok(!(pattern in LEFT_OUT), `${name}: ${pattern} is emitted`);
      else silent.add(pattern);
    }
  }
  const removal = 'PitLaneTimeCollection.PitTimes.*';
  assert.deepEqual([...silent, removal].sort(), Object.keys(LEFT_OUT).sort());
});

/** Whether the message changes only lines of TopThree without a known driver, as before the first snapshot. */
function hasUnknownDrivers({ topic }: Frame, changes: object, state: SessionState): boolean {
  if (topic !== 'TopThree') return false;
  const lines = (state.topic(topic).Lines ?? {}) as Record<string, { readonly RacingNumber?: string }>;
  return Object.keys((changes as { Lines?: object }).Lines ?? {}).every(
    (line) => lines[line]?.RacingNumber === undefined,
  );
}

/** The tire values that each of the two topics has sent. */
class TireValues {
  readonly #seen = new Set<string>();

  /** Whether the other topic has sent the value before. Counts it as sent by this topic. */
  isEcho([topic, , number, ...rest]: Path, value: unknown): boolean {
    if (topic !== ECHO && rest[0] !== 'Stints') return false;
    const fact = `${number} ${(topic === ECHO ? rest : rest.slice(1)).join(' ')} ${value}`;
    this.#seen.add(`${topic} ${fact}`);
    return this.#seen.has(`${topic === ECHO ? 'TimingAppData' : ECHO} ${fact}`);
  }
}

function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], tree);
}

/** Returns another value of the same kind. */
function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  const text = String(value ?? '');
  return /^\d{4}-/.test(text) ? `2031${text.slice(4)}` : `${text}1`;
}
