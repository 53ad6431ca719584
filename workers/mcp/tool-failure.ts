// What an assistant reads when a call fails: code and message, as the API has them, and what to do next. Routes in them
// become the names of tools, which is what an assistant knows.

import { SlipstreamError } from '#api/client/slipstream-client.ts';
import { CALL_NAMES } from '#workers/client/call-names.ts';
import type { Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';

export interface ToolFailure extends Record<string, unknown> {
  readonly code: string;
  readonly message: string;
  readonly next: string;
  /** HTTP status; absent without an answer. */
  readonly status?: number;
  /** For the operator of the service. */
  readonly requestId?: string;
}

const ROUTE = /\b(GET|POST|PATCH|DELETE) \/v1(\/[\w/{}-]+)/g;

/** `tools`: those that can be called. */
export function failureOf(error: unknown, tools: readonly Tool[]): ToolFailure {
  if (error instanceof ToolError) return { code: error.code, message: error.message, next: error.next };
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return { code: 'timeout', message: 'The service did not answer in time.', next: NEXT.timeout! };
  if (!(error instanceof SlipstreamError))
    return { code: 'internal_error', message: 'The call failed.', next: 'The log of this server (stderr) says why.' };
  const { status, code, message, requestId, retryAfterS } = error;
  return {
    code,
    message: withToolNames(message, tools),
    next: nextStep(code, status, retryAfterS),
    ...(status !== null && { status }),
    ...(requestId !== null && { requestId }),
  };
}

/** `GET /v1/simulate/runs shows it` becomes `list_runs shows it`. A tool that is missing is one that writes. */
function withToolNames(text: string, tools: readonly Tool[]): string {
  return text.replaceAll(ROUTE, (route, method: string, path: string) => {
    const operation = Object.keys(CALL_NAMES).find((one) => templated(one) === templated(`${method} ${path}`));
    const tool = tools.find(({ operations }) => operation !== undefined && operations.includes(operation));
    return tool?.name ?? route;
  });
}

function templated(operation: string): string {
  return operation.replaceAll(/\{\w+\}/g, '{}');
}

const NEXT: Readonly<Record<string, string>> = {
  no_answer: 'Check that the service runs, and that SLIPSTREAM_URL in the configuration of this server is its address.',
  timeout: 'Call again shortly. If it was a change, look first whether it was done.',
  invalid_answer: 'Check that SLIPSTREAM_URL in the configuration of this server is the address of the service.',
  invalid_client:
    'Correct SLIPSTREAM_CLIENT_ID and SLIPSTREAM_CLIENT_SECRET in the configuration of this server, and restart it.',
  internal_error: 'Call again shortly. If it fails again, give requestId to the operator of the service.',
};

const NEXT_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Correct the arguments and call again.',
  401: NEXT.invalid_client!,
  402: 'The plan of the account does not allow it. Its owner can change the plan.',
  403: 'The plan of the account does not allow it. Its owner can change the plan.',
  404: 'Use an id that a listing tool shows.',
  409: 'Do what the message says first, then call again.',
};

function nextStep(code: string, status: number | null, retryAfterS: number | null): string {
  if (retryAfterS !== null) return `Call again in ${retryAfterS} seconds.`;
  return NEXT[code] ?? NEXT_BY_STATUS[status ?? 0] ?? 'Call again shortly.';
}
