// A call is refused before the service is asked, with what the assistant can do about it.

export type ToolErrorCode = 'invalid_arguments' | 'unknown_tool' | 'read_only' | 'busy';

const NEXT: Readonly<Record<ToolErrorCode, string>> = {
  invalid_arguments: 'Correct the arguments and call again.',
  unknown_tool: 'Call one of the tools of the list.',
  read_only: 'Ask the person who runs this server to start it with --write, or with SLIPSTREAM_MCP_WRITE=on.',
  busy: 'Wait for the answer of a call, then call again.',
};

export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: ToolErrorCode;

  constructor(code: ToolErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  get next(): string {
    return NEXT[this.code];
  }
}
