// The answer of a tool: what the API said, as an assistant may read it. Its text is its structured content as JSON.
//
// MC1 An answer has at most MCP_ANSWER_CHARS_MAX characters. What does not fit is left out, and `leftOut` says from where and
//     how much, so that the next call can ask for it with `at` and `from`.
// MC2 No answer has a secret. No tool asks for one; what looks like one, or is this program's own, is covered wherever it
//     stands. A receiver may repeat the headers that it got: what it says is covered from the first of the customer's own on.
// MC3 Texts of others stay data: they are values of JSON, and characters that a person would not see stand there as escapes.

import { assert } from '#engine/base/assert.ts';
import { MCP_ANSWER_CHARS_MAX, MCP_LEFT_OUT_MAX } from '#engine/base/limits.ts';
import { excerptOf, type LeftOut, type Part } from './excerpt.ts';
import { shownTexts } from './shown-text.ts';

export interface Answer extends Record<string, unknown> {
  readonly data: unknown;
  readonly leftOut?: readonly LeftOut[];
  /** How to ask for what is left out. */
  readonly next?: string;
}

/** Room for `leftOut` and what stands around the data, and how long an entry of it may be. */
const FRAME_CHARS_MAX = 4_000;
const ENTRY_CHARS_MAX = 180;
assert(MCP_LEFT_OUT_MAX * (ENTRY_CHARS_MAX + 1) + 300 < FRAME_CHARS_MAX, 'the entries fit in their room');

/** A call that changes something is not to be made again for the rest of its answer. */
const NEXT = {
  reads: 'Call again with the same arguments, and with at and from of an entry of leftOut.',
  writes: 'It is done. A tool that reads shows the rest.',
};

/** `part`: null if the tool writes. `own`: secrets of this program. Throws a ToolError if there is no such part. */
export function answerOf(said: unknown, part: Part | null, own: readonly string[]): Answer {
  const shown = shownTexts(said, own);
  const whole = { data: excerptOf(shown, part ?? {}, Number.POSITIVE_INFINITY).data };
  if (JSON.stringify(whole).length <= MCP_ANSWER_CHARS_MAX) return whole;
  const { data, leftOut } = excerptOf(shown, part ?? {}, MCP_ANSWER_CHARS_MAX - FRAME_CHARS_MAX);
  const named = leftOut.filter((entry) => JSON.stringify(entry).length <= ENTRY_CHARS_MAX).slice(0, MCP_LEFT_OUT_MAX);
  const unnamed = leftOut.length - named.length;
  const more = unnamed > 0 ? ` ${unnamed} more places are left out and not listed.` : '';
  const next = `${NEXT[part === null ? 'writes' : 'reads']}${more}`;
  const answer = { data, leftOut: named, next };
  assert(JSON.stringify(answer).length <= MCP_ANSWER_CHARS_MAX, 'MC1: the answer has its bound');
  return answer;
}
