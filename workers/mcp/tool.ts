// A tool: something that an assistant can do with the account, by calls of the API.

import type { Static, TObject, TProperties, TSchema } from 'typebox';
import Type from 'typebox';
import type { SlipstreamClient } from '#api/client/slipstream-client.ts';
import { PARAMETER_DESCRIPTIONS } from '#api/docs/operation-notes.ts';
import { pageQuery } from '#schemas/http/page.ts';
import { ID } from '#schemas/http/text-patterns.ts';

/** What a call of the tool may do, in the words of the protocol. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  /** It may end or replace something that was there. */
  readonly destructiveHint: boolean;
  /** A second call with the same arguments changes nothing more. */
  readonly idempotentHint: boolean;
}

export interface ToolCall {
  readonly client: SlipstreamClient;
  readonly signal: AbortSignal;
}

export interface Tool {
  /** As assistants call it. */
  readonly name: string;
  /** A few words for people. */
  readonly title: string;
  /** For assistants. */
  readonly description: string;
  readonly hints: ToolHints;
  /** What it calls, as in workers/client/call-names.ts. */
  readonly operations: readonly string[];
  readonly input: TObject;
  /** `input`: valid. Returns what the assistant is to read. Rejects with a SlipstreamError. */
  run(input: never, call: ToolCall): Promise<unknown>;
}

interface ToolDefinition<Input extends TProperties> extends Omit<Tool, 'hints' | 'input' | 'run'> {
  readonly input: Input;
  run(input: Static<TObject<Input>>, call: ToolCall): Promise<unknown>;
}

const STRICT = { additionalProperties: false };

/** Every tool that reads can be asked for the part that an earlier answer has left out. */
const PART = {
  at: Type.Optional(Type.String({ description: 'Only this part of data: a JSON pointer, such as /drivers/0.' })),
  from: Type.Optional(Type.Integer({ minimum: 0, description: 'The first item or character of that part.' })),
};

export function readingTool<Input extends TProperties>(definition: ToolDefinition<Input>): Tool {
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return { ...definition, hints, input: Type.Object({ ...definition.input, ...PART }, STRICT) };
}

export function writingTool<Input extends TProperties>(
  definition: ToolDefinition<Input> & { readonly destructive: boolean; readonly idempotent: boolean },
): Tool {
  const { destructive, idempotent, ...rest } = definition;
  const hints = { readOnlyHint: false, destructiveHint: destructive, idempotentHint: idempotent };
  return { ...rest, hints, input: Type.Object(definition.input, STRICT) };
}

/** An id, described as in the reference of the API. */
export function id(name: string): TSchema & ReturnType<typeof Type.String> {
  return Type.String({ pattern: ID, description: PARAMETER_DESCRIPTIONS[name]! });
}

/** `limit` and `offset` of a list. */
export function page(itemsMax: number) {
  return pageQuery(itemsMax).properties;
}
