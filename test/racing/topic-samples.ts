// Short real samples of topics that no complete recording has, all of one race, as frames of a session.

import { readdirSync, readFileSync } from 'node:fs';
import type { Frame } from '#engine/racing/frame.ts';
import { compareTopics, UPSTREAM_TOPICS } from '#schemas/upstream/topics.ts';
import { dataPath } from '#test/support/shared-data.ts';
import { compressed } from './compressed-message.ts';

const START_MS = Date.parse('2020-11-29T13:40:00Z');
const PREFIX = 'live_timing_';

/** Returns the samples in time order, without the other messages of their topics. */
export function topicSamples(): Frame[] {
  const topics = new Map(UPSTREAM_TOPICS.map((topic) => [fileNameOf(topic), topic]));
  const frames: Frame[] = [];
  for (const file of readdirSync(dataPath('topic-samples')).sort()) {
    const topic = topics.get(file);
    if (topic === undefined) continue;
    const messages: Record<string, unknown>[] = JSON.parse(readFileSync(dataPath(`topic-samples/${file}`), 'utf8'));
    for (const { _StreamTimestamp: offset, ...message } of messages) {
      const text = JSON.stringify(message);
      const json = topic.endsWith('.z') ? compressed(text) : text;
      frames.push({ utcMs: START_MS + offsetMs(offset), topic, json });
    }
  }
  return frames.sort((a, b) => a.utcMs - b.utcMs || compareTopics(a.topic, b.topic));
}

/** `PitLaneTimeCollection` is in `live_timing_pit_lane_time_collection.json`. */
function fileNameOf(topic: string): string {
  const words = topic.replace(/\.z$/, '').replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`);
  return `${PREFIX}${words.toLowerCase()}.json`;
}

function offsetMs(offset: unknown): number {
  return typeof offset === 'string' ? Date.parse(`1970-01-01T${offset}Z`) : 0;
}
