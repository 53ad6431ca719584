// Parses one message of an operator's own source: a JSON line `{"topic", "utc", "data"}`, with a `sequence` if the
// sender numbers its messages. Files and the network use the same parser.

import { quoted } from '#engine/base/quoted-text.ts';
import { isoUtcMs } from '#engine/racing/upstream-time.ts';
import { fitsFrame, nestedDataProblem, topicProblem } from './message-data.ts';

export interface IngestedMessage {
  readonly topic: string;
  /** Unix epoch milliseconds. Has a fraction if the sender gives one. */
  readonly utcMs: number;
  /** The data as JSON text: an object, or a base64 string for a compressed topic. */
  readonly json: string;
  /** The sender's number for the message, from 1; null if the sender does not number its messages. */
  readonly sequence: number | null;
}

export interface IngestProblem {
  /** The invalid field; null when the whole line is invalid. */
  readonly field: string | null;
  /** A sentence that names the field. */
  readonly problem: string;
}

const FIELDS: ReadonlySet<string> = new Set(['topic', 'utc', 'data', 'sequence']);

/** Parses a line. `'problem' in result` distinguishes a problem from a message. */
export function readIngestLine(text: string): IngestedMessage | IngestProblem {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (error) {
    return problemWith(null, `the line is not JSON (${(error as Error).message})`);
  }
  if (typeof line !== 'object' || line === null || Array.isArray(line)) {
    return problemWith(null, 'the line is not a JSON object');
  }
  const { topic, utc, data, sequence = null } = line as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(line)) {
    if (!FIELDS.has(key))
      return problemWith(key, `${quoted(key)} is not a field; the fields are topic, utc, data and sequence`);
  }
  if (topic === undefined) return problemWith('topic', 'topic is missing');
  const wrongTopic = topicProblem(topic);
  if (wrongTopic !== null) return problemWith('topic', `topic ${wrongTopic}`);
  if (utc === undefined) return problemWith('utc', 'utc is missing');
  if (typeof utc !== 'string') return problemWith('utc', 'utc is not a text');
  const utcMs = isoUtcMs(utc);
  if (utcMs === null) {
    return problemWith(
      'utc',
      `utc ${quoted(utc)} is not an ISO 8601 time with Z or an offset, as 2026-05-03T14:00:00.250Z is`,
    );
  }
  if (data === undefined) return problemWith('data', 'data is missing');
  const wrongData = nestedDataProblem(topic as string, data);
  if (wrongData !== null) return problemWith('data', `data is ${wrongData}`);
  const json = JSON.stringify(data);
  if (!fitsFrame(json)) return problemWith('data', 'data is larger than any message may be');
  if (sequence !== null && !(Number.isSafeInteger(sequence) && (sequence as number) >= 1)) {
    return problemWith('sequence', 'sequence is not a whole number from 1');
  }
  return { topic: topic as string, utcMs, json, sequence: sequence as number | null };
}

function problemWith(field: string | null, problem: string): IngestProblem {
  return { field, problem };
}
