// What every source accepts as a message: a topic with a plain name, and as its data an object, or base64 text for a
// compressed topic.

import { FRAME_BYTES_MAX, MERGE_DEPTH_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { isUpstreamTopic } from '#schemas/upstream/topics.ts';

const TOPIC = /^[A-Za-z0-9_.-]{1,64}$/;

/** What is wrong with the name of a topic, or null. */
export function topicProblem(topic: unknown): string | null {
  if (typeof topic !== 'string') return 'is not a text';
  return TOPIC.test(topic) ? null : `${quoted(topic)} is not 1 to 64 letters, digits, "_", "." and "-"`;
}

/** Whether the messages of the topic are compressed; null for an unknown topic. */
export function isCompressed(topic: string): boolean | null {
  return isUpstreamTopic(topic) ? topic.endsWith('.z') : null;
}

/** Why the value cannot be the data of a message, worded to follow "it is", or null when it can. */
export function dataProblem(topic: string, value: unknown): string | null {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
    return 'neither a JSON object nor a JSON string';
  }
  const compressed = isCompressed(topic);
  if (compressed === null || compressed === (typeof value === 'string')) return null;
  return compressed ? 'a JSON object in a compressed topic' : 'a JSON string in a topic of JSON objects';
}

/** Like `dataProblem`, for data that came inside another value: also checks how deeply it is nested. */
export function nestedDataProblem(topic: string, value: unknown): string | null {
  const problem = dataProblem(topic, value);
  if (problem !== null) return problem;
  return nestsDeeper(value, MERGE_DEPTH_MAX) ? `nested more than ${MERGE_DEPTH_MAX} deep` : null;
}

/**
 * Whether the JSON text fits into a frame. A UTF-16 unit has at most three bytes in UTF-8, so short texts need no
 * count.
 */
export function fitsFrame(json: string): boolean {
  return json.length * 3 <= FRAME_BYTES_MAX || Buffer.byteLength(json) <= FRAME_BYTES_MAX;
}

/** Recurses at most `levels` deep, whatever the value. */
function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    if (nestsDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}
