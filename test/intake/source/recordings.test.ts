// Checks every real recording against counts of its raw text, made without the readers, and golden sessions against
// their script.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { openSource } from '#engine/intake/source/open-source.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';
import { compareTopics, isUpstreamTopic } from '#schemas/upstream/topics.ts';
import { F1_SESSIONS } from '#test/racing/golden/golden-sessions.ts';
import { ALL_SESSIONS, DUMPED_SESSIONS, descriptionOf, framesOf, sessionPath } from '#test/racing/real-sessions.ts';
import { archiveLines, joinedAfter, signalrText } from '#test/support/golden-recordings.ts';
import { dataPath, WITHOUT_RECORDINGS } from '#test/support/shared-data.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { archiveFolder } from './archive.ts';

type Counts = Record<string, number>;

function counted(topics: Iterable<string>): Counts {
  const counts: Counts = {};
  for (const topic of topics) counts[topic] = (counts[topic] ?? 0) + 1;
  return counts;
}

function matches(text: string, pattern: RegExp): Counts {
  return counted(Array.from(text.matchAll(pattern), (match) => match[1]!));
}

/** Number of messages of each topic in the raw text. */
function rawCounts(session: string): Counts {
  const path = sessionPath(session);
  if (statSync(path).isDirectory()) {
    const files = readdirSync(path).filter((name) => name.endsWith('.jsonStream'));
    return Object.fromEntries(
      files.map((name) => [
        name.replace('.jsonStream', ''),
        readFileSync(join(path, name), 'utf8').match(/^\ufeff?\d\d:\d\d:\d\d\.\d{3}["{]/gm)!.length,
      ]),
    );
  }
  const text = readFileSync(path, 'utf8');
  if (path.includes('fastf1')) return matches(text, /^\['([\w.]+)', /gm);
  const messages = matches(text, /(?:"M":"feed","A"|"target":"feed","arguments"):\["([\w.]+)",/g);
  // The snapshot: the topics at the top level of its line.
  const line = text.split('\n').find((one) => one.startsWith('{"R":') || one.startsWith('{"Heartbeat":'))!;
  const state: { R?: object } = JSON.parse(line);
  for (const topic of Object.keys(state.R ?? state)) messages[topic] = (messages[topic] ?? 0) + 1;
  return messages;
}

test('a session written in the format of the archive is read unchanged', (t) => {
  for (const session of F1_SESSIONS) {
    const source = openSource(archiveFolder(t, archiveLines(session)));
    const inOrder = (frames: Iterable<Frame>) =>
      [...frames].sort((a, b) => a.utcMs - b.utcMs || compareTopics(a.topic, b.topic));
    assert.deepEqual([...source.frames()], inOrder(session.frames), session.sessionId);
    assert.equal(source.unknownTopics.size, 0);
  }
});

test('a session written as SignalR frames is read unchanged', (t) => {
  for (const session of F1_SESSIONS) {
    const recording = joinedAfter(60, session);
    const path = join(temporaryFolder(t), 'frames.ndjson');
    writeFileSync(path, signalrText(recording));
    const topics = Object.keys(recording.initial).length;
    const frames = [...openSource(path).frames()];
    assert.deepEqual(frames.slice(topics), recording.frames, session.sessionId);
    const state = frames.slice(0, topics).map(({ topic, json }) => [topic, JSON.parse(json)]);
    const expected = Object.entries(recording.initial).map(([topic, whole]) => [
      topic,
      { ...(whole as object), _kf: true },
    ]);
    assert.deepEqual(state.sort(), expected.sort());
  }
});

describe('recordings', { skip: WITHOUT_RECORDINGS }, () => {
  for (const session of [...ALL_SESSIONS, ...DUMPED_SESSIONS]) {
    test(`${session}: every message is a frame, in time order, and every topic is known`, () => {
      const frames = framesOf(session);
      assert.deepEqual(counted(frames.map(({ topic }) => topic)), rawCounts(session));
      assert.deepEqual(
        frames.map(({ topic }) => topic).filter((topic) => !isUpstreamTopic(topic)),
        [],
      );
      for (let index = 1; index < frames.length; index++) {
        assert.ok(frames[index]!.utcMs >= frames[index - 1]!.utcMs, `frame ${index}`);
      }
      for (const { json } of frames) JSON.parse(json);
    });
  }

  test('a dump is also found by its folder', () => {
    for (const session of DUMPED_SESSIONS) {
      assert.notEqual(dirname(sessionPath(session)), dataPath(''), basename(session));
      assert.deepEqual([...openSource(dirname(sessionPath(session))).frames()], framesOf(session));
    }
  });

  test('each dump describes its session; the one without SessionInfo is described by its id', () => {
    const described = DUMPED_SESSIONS.map((session) => {
      const { sessionId, type, name, circuitName, season, startUtcMs } = descriptionOf(session);
      return [sessionId, type, name, circuitName, season, new Date(startUtcMs).toISOString()];
    });
    assert.deepEqual(described, [
      [
        '2025-azerbaijan-qualifying',
        'Qualifying',
        'Azerbaijan, Qualifying',
        'Azerbaijan',
        2025,
        '2025-09-20T12:29:40.365Z',
      ],
      ['2025-miami-race', 'Race', 'Miami Grand Prix, Race', 'Miami', 2025, '2025-05-04T20:00:00.000Z'],
      [
        '2026-austria-qualifying',
        'Qualifying',
        'Austrian Grand Prix, Qualifying',
        'Spielberg',
        2026,
        '2026-06-27T14:00:00.000Z',
      ],
    ]);
  });

  test('both SignalR dumps begin with a snapshot that has the time of its Heartbeat', () => {
    for (const [session, topics, utc] of [
      ['2025-miami-race', 12, '2025-05-04T20:18:15.942Z'],
      ['2026-austria-qualifying', 13, '2026-06-27T14:15:15.604Z'],
    ] as const) {
      const frames = framesOf(session);
      const state = frames.slice(0, topics);
      assert.equal(new Set(state.map(({ topic }) => topic)).size, topics);
      assert.deepEqual(
        state.filter(({ topic, json }) => !topic.endsWith('.z') && JSON.parse(json)._kf !== true),
        [],
      );
      assert.deepEqual(new Set(state.map(({ utcMs }) => new Date(utcMs).toISOString())), new Set([utc]));
      assert.ok(frames[topics]!.utcMs > state[0]!.utcMs);
    }
  });

  test('the dumps hold the drivers who took part', () => {
    const tlas = (session: string): string[] => {
      const list = framesOf(session).find(({ topic }) => topic === 'DriverList')!;
      return Object.values<{ Tla?: string }>(JSON.parse(list.json)).flatMap(({ Tla }) => Tla ?? []);
    };
    const miami = tlas('2025-miami-race');
    assert.equal(miami.length, 20);
    for (const tla of ['VER', 'PIA', 'NOR', 'ANT', 'DOO']) assert.ok(miami.includes(tla), tla);
    const austria = tlas('2026-austria-qualifying');
    assert.equal(austria.length, 22);
    for (const tla of ['RUS', 'VER', 'BOT', 'PER', 'HAD']) assert.ok(austria.includes(tla), tla);
  });

  test('every recording is read completely, in time order', () => {
    for (const session of ALL_SESSIONS) {
      const source = openSource(sessionPath(session));
      let lastMs = 0;
      let frames = 0;
      for (const { utcMs } of source.frames()) {
        assert.ok(utcMs >= lastMs);
        lastMs = utcMs;
        frames++;
      }
      assert.ok(frames > 1_000);
      assert.equal(source.unknownTopics.size, 0);
    }
  });

  test('the start of Mexico 2025 agrees with messages that state it', () => {
    for (const session of ['2025-mexico-qualifying', '2025-mexico-race']) {
      const frames = framesOf(session);
      const first = frames.find(({ topic }) => topic === 'AudioStreams')!;
      assert.equal(frames[0]!.utcMs, upstreamUtcMs(JSON.parse(first.json).Streams[0].Utc));
    }
  });

  test('the times of Baku 2018, which has no heartbeat, are within a second of race control', () => {
    for (const { topic, utcMs, json } of framesOf('2018-azerbaijan-race')) {
      if (topic !== 'RaceControlMessages') continue;
      const sent = upstreamUtcMs((Object.values(JSON.parse(json).Messages)[0] as { Utc: string }).Utc)!;
      assert.ok(Math.abs(utcMs - sent) < 1_000);
    }
  });
});
