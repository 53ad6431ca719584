// One message as an operator's own source hands it in: a line of JSON `{"topic", "utc", "data"}`, with a `sequence` where
// the sender counts its messages. A function of the text, the same for a file and for what comes over the network.

import { quoted } from '#engine/base/quoted-text.ts';
import { isoUtcMs } from '#engine/racing/upstream-time.ts';
import { fitsFrame, nestedDataProblem, topicProblem } from './message-data.ts';

export interface IngestedMessage {
  readonly topic: string;
  /** Unix epoch milliseconds, with a fraction where the sender gives one. */
  readonly utcMs: number;
  /** The data as JSON text: an object, or for a compressed topic a string of base64. */
  readonly json: string;
  /** The sender's own number for the message, from 1; null where it does not count. */
  readonly sequence: number | null;
}

export interface IngestProblem {
  /** The field that is wrong; null when the line as a whole is. */
  readonly field: string | null;
  /** A sentence that names the field. */
  readonly problem: string;
}

const FIELDS: ReadonlySet<string> = new Set(['topic', 'utc', 'data', 'sequence']);

/** Reads a line. Tell a problem from a message by `'problem' in result`. */
export function readIngestLine(text: string): IngestedMessage | IngestProblem {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (error) {
    return wrong(null, `the line is not JSON (${(error as Error).message})`);
  }
  if (typeof line !== 'object' || line === null || Array.isArray(line)) {
    return wrong(null, 'the line is not a JSON object');
  }
  const { topic, utc, data, sequence = null } = line as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(line)) {
    if (!FIELDS.has(key)) return wrong(key, `${quoted(key)} is not a field; there are topic, utc, data and sequence`);
  }
  if (topic === undefined) return wrong('topic', 'topic is missing');
  const topicWrong = topicProblem(topic);
  if (topicWrong !== null) return wrong('topic', `topic ${topicWrong}`);
  if (utc === undefined) return wrong('utc', 'utc is missing');
  if (typeof utc !== 'string') return wrong('utc', 'utc is not a text');
  const utcMs = isoUtcMs(utc);
  if (utcMs === null) {
    return wrong(
      'utc',
      `utc ${quoted(utc)} is not an ISO 8601 time with Z or an offset, as 2026-05-03T14:00:00.250Z is`,
    );
  }
  if (data === undefined) return wrong('data', 'data is missing');
  const dataWrong = nestedDataProblem(topic as string, data);
  if (dataWrong !== null) return wrong('data', `data is ${dataWrong}`);
  const json = JSON.stringify(data);
  if (!fitsFrame(json)) return wrong('data', 'data is larger than any message may be');
  if (sequence !== null && !(Number.isSafeInteger(sequence) && (sequence as number) >= 1)) {
    return wrong('sequence', 'sequence is not a whole number from 1');
  }
  return { topic: topic as string, utcMs, json, sequence: sequence as number | null };
}

function wrong(field: string | null, problem: string): IngestProblem {
  return { field, problem };
}
