// Reads a recorded SignalR connection: its first line is the result of Subscribe, the others are texts of records.

import { readFileSync } from 'node:fs';
import type { Json, JsonObject } from '#engine/base/json-value.ts';
import type { Frame } from '#engine/racing/frame.ts';
import { upstreamUtcMs } from '#engine/racing/upstream-time.ts';

export interface SignalrRecording {
  readonly initial: JsonObject;
  readonly frames: readonly Frame[];
}

export function readSignalrRecording(path: string): SignalrRecording {
  const [first, ...lines] = readFileSync(path, 'utf8').split('\n');
  const records = lines.flatMap((line) => line.split('\x1e')).filter((record) => record.trim() !== '');
  const frames = records
    .map((record) => JSON.parse(record) as { target?: string; arguments: [string, Json, string] })
    .filter(({ target }) => target === 'feed')
    .map(({ arguments: [topic, data, utc] }) => ({ utcMs: upstreamUtcMs(utc)!, topic, json: JSON.stringify(data) }));
  return { initial: JSON.parse(first!) as JsonObject, frames };
}
