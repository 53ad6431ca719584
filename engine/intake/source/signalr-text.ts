// What a recorder of the upstream's SignalR connection saves: every text that came, a line each, of either protocol. Some
// recorders put the answer to the subscription first without the frame around it.
//
// Core: frames end in 0x1E and several can be in one line. Type 1 is a message, type 3 the answer to the subscription, type
// 6 a sign of life, type 7 the end. Legacy: `M` holds messages, `R` the answer, `C`, `G` and `S` are the connection's own,
// `{}` is a sign of life. One message of `M` alone on a line is what undercut-f1 used to save.

import { isUpstreamTopic } from '#schemas/upstream/topics.ts';
import type { DumpFormat } from './dump-format.ts';
import { snapshotMessages, timedMessage } from './dumped-message.ts';
import { LineProblem } from './line-problem.ts';
import type { LiveMessage } from './live-source.ts';

const FRAME_END = '\x1e';
/** The method by which both protocols bring messages. */
const FEED = 'feed';
const CORE_MESSAGE = 1;
const CORE_ANSWER = 3;
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

/** Whether the line is one of these, or null when it could be but does not tell. */
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
  throw new LineProblem('an object is neither a frame of SignalR nor a whole state');
}

function coreMessages(frame: Fields): readonly LiveMessage[] {
  const { type, target, arguments: values, result } = frame;
  if (type === CORE_ANSWER) return answer(result);
  if (type !== CORE_MESSAGE || target !== FEED) return [];
  return [message(values)];
}

function legacyMessages(frame: Fields): readonly LiveMessage[] {
  if (typeof frame.M === 'string') return hubMessage(frame);
  const messages = frame.M ?? [];
  if (!Array.isArray(messages)) throw new LineProblem('M of a frame is not a list');
  return [...answer(frame.R), ...messages.flatMap((entry) => hubMessage(fieldsOf(entry) ?? {}))];
}

function hubMessage({ M, A }: Fields): readonly LiveMessage[] {
  return typeof M === 'string' && M.toLowerCase() === FEED ? [message(A)] : [];
}

function message(values: unknown): LiveMessage {
  if (!Array.isArray(values) || values.length < 3)
    throw new LineProblem('a message is not a list of topic, data and time');
  return timedMessage(values[0], values[1], values[2]);
}

/** Other calls than the subscription answer with other values, or with none. */
function answer(result: unknown): readonly LiveMessage[] {
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
