// The tools of one server: which of them there are, and what becomes of a call.

import type { SlipstreamClient } from '#api/client/slipstream-client.ts';
import { type SchemaCheck, schemaCheck } from '#api/http/schema-check.ts';
import { violationText } from '#api/http/violations.ts';
import { MCP_CALL_MS, MCP_CALLS_MAX } from '#engine/base/limits.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { type Answer, answerOf } from './answer.ts';
import type { Part } from './excerpt.ts';
import { shownTexts } from './shown-text.ts';
import type { Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';
import { failureOf, type ToolFailure } from './tool-failure.ts';

export interface ToolBoxParts {
  readonly tools: readonly Tool[];
  readonly client: SlipstreamClient;
  /** Whether tools may change something. */
  readonly write: boolean;
  /** Secrets of this program, which no answer has. */
  readonly secrets: readonly string[];
  /** For the log. */
  readonly report: (line: string) => void;
}

export type Outcome =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly failure: ToolFailure };

export class ToolBox {
  readonly #parts: ToolBoxParts;
  readonly #checks = new Map<Tool, SchemaCheck>();
  #underWay = 0;

  constructor(parts: ToolBoxParts) {
    this.#parts = parts;
  }

  /** Those that can be called. */
  get tools(): readonly Tool[] {
    return this.#parts.tools.filter(({ hints }) => hints.readOnlyHint || this.#parts.write);
  }

  /** Does not reject. */
  async call(name: string, input: unknown, signal: AbortSignal): Promise<Outcome> {
    const { secrets, report } = this.#parts;
    try {
      return { kind: 'answered', answer: await this.#run(name, input, signal) };
    } catch (error) {
      const failure = failureOf(error, this.tools);
      if (failure.code === 'internal_error' && !signal.aborted)
        report(`${name}: ${error instanceof Error ? error.stack : error}`);
      return { kind: 'failed', failure: shownTexts(failure, secrets) as ToolFailure };
    }
  }

  async #run(name: string, input: unknown, signal: AbortSignal): Promise<Answer> {
    const { client, secrets } = this.#parts;
    const tool = this.#tool(name);
    const violations = this.#check(tool)(input);
    if (violations.length > 0) throw new ToolError('invalid_arguments', violationText(violations));
    if (this.#underWay >= MCP_CALLS_MAX) throw new ToolError('busy', `${MCP_CALLS_MAX} calls are under way.`);
    const { at, from, ...request } = input as Part;
    const part = { ...(at !== undefined && { at }), ...(from !== undefined && { from }) };
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(MCP_CALL_MS)]);
    this.#underWay++;
    try {
      const said = await tool.run(request as never, { client, signal: deadline });
      return answerOf(said, tool.hints.readOnlyHint ? part : null, secrets);
    } finally {
      this.#underWay--;
    }
  }

  #tool(name: string): Tool {
    const tool = this.tools.find((one) => one.name === name);
    if (tool !== undefined) return tool;
    if (this.#parts.tools.some((one) => one.name === name))
      throw new ToolError('read_only', `${name} changes something, and this server only reads.`);
    throw new ToolError('unknown_tool', `There is no tool ${quoted(name)}.`);
  }

  #check(tool: Tool): SchemaCheck {
    const check = this.#checks.get(tool) ?? schemaCheck(tool.input, 'the arguments');
    this.#checks.set(tool, check);
    return check;
  }
}
