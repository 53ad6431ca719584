// The format of recorders that save the upstream's SignalR connection: every text on a line, of either protocol. Some
// recorders write the result of the subscription first, without its frame.
//
// Core: frames end in 0x1E, and a line can hold several. Type 1 is a message, type 3 the result of the subscription,
// type 6 a ping, type 7 the end. Legacy: `M` holds messages and `R` the result; `C`, `G` and `S` belong to the
// connection; `{}` is a keep-alive. Older versions of undercut-f1 saved each message of `M` alone on a line.

import { isUpstreamTopic } from '#schemas/upstream/topics.ts';
import type { DumpFormat } from './dump-format.ts';
import { snapshotMessages, timedMessage } from './dumped-message.ts';
import { LineProblem } from './line-problem.ts';
import type { LiveMessage } from './live-source.ts';

const FRAME_END = '\x1e';
/** The method that delivers messages in both protocols. */
const FEED = 'feed';
const CORE_MESSAGE = 1;
const CORE_RESULT = 3;
const LEGACY_KEYS: ReadonlySet<string> = new Set(['C', 'S', 'G', 'M', 'R', 'I', 'E', 'D', 'T', 'H', 'L', 'A', 'P']);

type Fields = Readonly<Record<string, unknown>>;

export const signalrText: DumpFormat = {
  name: 'SignalR frames',

  parse(line) {
    // Most lines are one frame.
    const end = line.indexOf(FRAME_END);
    if (end === -1 || end === line.length - 1) return frameMessages(end === -1 ? line : line.slice(0, -1));
    return line.split(FRAME_END).flatMap((frame) => (frame.trim() === '' ? [] : frameMessages(frame)));
  },
};

/** Whether the line has this format; null for an empty object, which other formats may hold as well. */
export function isSignalrLine(line: string): boolean | null {
  const frame = fieldsOf(JSON.parse(line.split(FRAME_END, 1)[0]!));
  if (frame === null) return false;
  const keys = Object.keys(frame);
  if (keys.length === 0) return null;
  return isCoreFrame(frame) || isLegacyFrame(keys) || isState(keys);
}

function frameMessages(text: string): readonly LiveMessage[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new LineProblem(`a frame is not JSON (${(error as Error).message})`);
  }
  const frame = fieldsOf(parsed);
  if (frame === null) throw new LineProblem('a frame is not an object');
  if (isCoreFrame(frame)) return coreMessages(frame);
  const keys = Object.keys(frame);
  if (isLegacyFrame(keys)) return legacyMessages(frame);
  if (isState(keys)) return snapshotMessages(frame);
  throw new LineProblem('an object is neither a SignalR frame nor a snapshot');
}

function coreMessages(frame: Fields): readonly LiveMessage[] {
  const { type, target, arguments: values, result } = frame;
  if (type === CORE_RESULT) return resultMessages(result);
  if (type !== CORE_MESSAGE || target !== FEED) return [];
  return [message(values)];
}

function legacyMessages(frame: Fields): readonly LiveMessage[] {
  if (typeof frame.M === 'string') return hubMessage(frame);
  const messages = frame.M ?? [];
  if (!Array.isArray(messages)) throw new LineProblem('M of a frame is not a list');
  return [...resultMessages(frame.R), ...messages.flatMap((entry) => hubMessage(fieldsOf(entry) ?? {}))];
}

function hubMessage({ M, A }: Fields): readonly LiveMessage[] {
  return typeof M === 'string' && M.toLowerCase() === FEED ? [message(A)] : [];
}

function message(values: unknown): LiveMessage {
  if (!Array.isArray(values) || values.length < 3)
    throw new LineProblem('a message is not a list of topic, data and time');
  return timedMessage(values[0], values[1], values[2]);
}

/** The snapshots in the result of a call. Other calls than Subscribe return other values, or none. */
function resultMessages(result: unknown): readonly LiveMessage[] {
  const state = fieldsOf(result);
  return state === null ? [] : snapshotMessages(state);
}

function isCoreFrame(frame: Fields): boolean {
  return typeof frame.type === 'number';
}

function isLegacyFrame(keys: readonly string[]): boolean {
  return keys.every((key) => LEGACY_KEYS.has(key));
}

function isState(keys: readonly string[]): boolean {
  return keys.some(isUpstreamTopic);
}

function fieldsOf(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}
