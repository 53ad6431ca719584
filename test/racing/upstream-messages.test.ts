// The upstream's messages as they were recorded: each as its description says, and no field of any goes unread unless that is
// meant.

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

/** What no feed tells, with the reason. `*` stands for a racing number, an index or the name of a team. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'ChampionshipPrediction.Drivers..CurrentPoints': 'whose points these are is not said',
  'ChampionshipPrediction.Drivers..CurrentPosition': 'whose points these are is not said',
  'ChampionshipPrediction.Drivers..PredictedPoints': 'whose points these are is not said',
  'ChampionshipPrediction.Drivers..PredictedPosition': 'whose points these are is not said',
  'ChampionshipPrediction.Drivers..RacingNumber': 'whose points these are is not said',
  'ChampionshipPrediction.Drivers.*.RacingNumber': 'its key says it',
  'ChampionshipPrediction.Teams.*.TeamName': 'a name without a standing is no news; with one it is told',
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
  'TimingData.Lines.*.Sectors.*.PreviousValue': 'the time of the lap before, which was told then',
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

/** Says of tires what TimingAppData says. */
const ECHO = 'TyreStintSeries';

/** Derives frames and says of each which feeds it made updates in, race events apart. */
class FeedWatch {
  readonly #told: string[] = [];
  readonly #deriver: SessionDeriver;

  constructor() {
    const serialise = (feed: string): string => {
      if (feed !== 'events.race') this.#told.push(feed);
      return '{}';
    };
    this.#deriver = new SessionDeriver(new TimelineBuilder({ sessionId: 's', seriesId: 'f1' }, serialise), F1);
  }

  feedsOf(frame: Frame): readonly string[] {
    this.#told.length = 0;
    this.#deriver.apply(frame);
    return this.#told;
  }
}

type Path = readonly string[];

/** Every value in a message or in a tree of changes, with its path. Empty collections have none. */
function* valuesIn(tree: unknown, path: Path): Generator<[path: Path, value: unknown]> {
  if (typeof tree !== 'object' || tree === null) yield [path, tree];
  else for (const [key, value] of Object.entries(tree)) yield* valuesIn(value, [...path, key]);
}

/** `TimingData.Lines.44.Position` is `TimingData.Lines.*.Position`. */
function patternOf(path: Path): string {
  return path.map((key, index) => (/^\d+$/.test(key) || path[index - 1] === 'Teams' ? '*' : key)).join('.');
}

test('every topic that feeds something is described', () => {
  for (const topic of topicsRead) assert.ok(validators.has(topic), topic);
  for (const topic of validators.keys()) assert.ok(topicsRead.has(topic), topic);
});

test('the descriptions hold for every recorded message', () => {
  for (const [name, frames] of recordings()) {
    for (const frame of frames) {
      const validate = validators.get(frame.topic);
      if (validate === undefined || validate(messageOf(frame))) continue;
      assert.fail(`${name} ${frame.topic}: ${ajv.errorsText(validate.errors)} in ${frame.json.slice(0, 300)}`);
    }
  }
});

test('a recorded message that makes no update changed nothing, or only what is left out on purpose', () => {
  for (const [name, frames] of recordings()) {
    const watch = new FeedWatch();
    const tires = new TiresSaid();
    const state = new SessionState(F1.facts);
    for (const frame of frames) {
      const told = watch.feedsOf(frame).length > 0;
      if (!topicsRead.has(frame.topic) || isCompressed(frame.topic)) continue;
      const changes = state.apply(frame.topic, messageOf(frame));
      const isSilent = !told && changes !== null && !isOfNobody(frame, changes, state);
      for (const [path, value] of valuesIn(changes ?? {}, [frame.topic])) {
        if (tires.isEcho(path, value) || !isSilent) continue;
        assert.ok(patternOf(path) in LEFT_OUT, `${name}: ${path.join('.')} at ${new Date(frame.utcMs).toISOString()}`);
      }
    }
  }
});

test('every field that was ever recorded makes an update when it alone changes, or is left out on purpose', () => {
  const silent = new Set<string>();
  for (const [name, frames] of recordings()) {
    const examples = new Map<string, Path>();
    // Two topics say the same of tires, and what the one has told the other does not tell again: each has a watch of its own.
    const watch = new FeedWatch();
    const echo = frames.some(({ topic }) => topic === ECHO) ? new FeedWatch() : watch;
    const state = new SessionState(F1.facts);
    let utcMs = 0;
    for (const frame of frames) {
      for (const one of new Set([watch, echo])) one.feedsOf(frame);
      utcMs = frame.utcMs;
      if (!topicsRead.has(frame.topic) || isCompressed(frame.topic)) continue;
      const changes = state.apply(frame.topic, messageOf(frame));
      for (const [path, value] of valuesIn(changes ?? {}, [frame.topic])) {
        if (value !== undefined) examples.set(patternOf(path), path);
      }
    }
    for (const [pattern, [topic, ...keys]] of examples) {
      const value = valueAt(state.topic(topic!), keys);
      const message = keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), another(value));
      const frame = { topic: topic!, utcMs, json: JSON.stringify(message) };
      const told = (topic === ECHO ? echo : watch).feedsOf(frame).length > 0;
      if (told) assert.ok(!(pattern in LEFT_OUT), `${name}: ${pattern} is told`);
      else silent.add(pattern);
    }
  }
  const removal = 'PitLaneTimeCollection.PitTimes.*';
  assert.deepEqual([...silent, removal].sort(), Object.keys(LEFT_OUT).sort());
});

/** Whether the message is about lines of the first three of which it was never said who is on them, as without a snapshot. */
function isOfNobody({ topic }: Frame, changes: object, state: SessionState): boolean {
  if (topic !== 'TopThree') return false;
  const lines = (state.topic(topic).Lines ?? {}) as Record<string, { readonly RacingNumber?: string }>;
  return Object.keys((changes as { Lines?: object }).Lines ?? {}).every(
    (line) => lines[line]?.RacingNumber === undefined,
  );
}

/** What was said of tires, by each of the two topics that tell them. */
class TiresSaid {
  readonly #said = new Set<string>();

  /** Whether the other topic has said it before; it counts as said by this one. */
  isEcho([topic, , number, ...rest]: Path, value: unknown): boolean {
    if (topic !== ECHO && rest[0] !== 'Stints') return false;
    const fact = `${number} ${(topic === ECHO ? rest : rest.slice(1)).join(' ')} ${value}`;
    this.#said.add(`${topic} ${fact}`);
    return this.#said.has(`${topic === ECHO ? 'TimingAppData' : ECHO} ${fact}`);
  }
}

function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Record<string, unknown> | undefined)?.[key], tree);
}

/** Another value of the same kind. */
function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  const text = String(value ?? '');
  return /^\d{4}-/.test(text) ? `2031${text.slice(4)}` : `${text}1`;
}
