// An assistant: the client of the protocol's own package, with a server that it has started. Keeps everything that it was
// told, so that a test can search it for secrets.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { outputFile } from '#test/support/output-folder.ts';

export interface Told {
  readonly tool: string;
  readonly isError: boolean;
  /** What the assistant reads. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose type is not certain
  readonly data: any;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose type is not certain
  readonly structured: any;
}

export interface Assistant {
  readonly client: Client;
  readonly told: readonly Told[];
  /** What the server has logged. */
  readonly log: () => string;
  /** Calls a tool. Throws unless the answer has one text, which is the structured content, or a failure. */
  call(tool: string, input?: Record<string, unknown>): Promise<Told>;
  /** Calls a tool that must not fail. Returns its data. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  ask(tool: string, input?: Record<string, unknown>): Promise<any>;
  close(): Promise<void>;
}

export interface AssistantSetup {
  readonly env: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
}

export const SERVER = new URL('../../../workers/mcp.ts', import.meta.url).pathname;

export async function startAssistant({
  env,
  command = process.execPath,
  args = [SERVER],
}: AssistantSetup): Promise<Assistant> {
  const transport = new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'pipe' });
  const keep = outputFile('mcp');
  let log = '';
  transport.stderr!.on('data', (chunk) => {
    log += chunk;
    keep(String(chunk));
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const told: Told[] = [];
  const call: Assistant['call'] = async (tool, input = {}) => {
    const { content, structuredContent, isError = false } = await client.callTool({ name: tool, arguments: input });
    const [first] = content;
    if (content.length !== 1 || first?.type !== 'text') throw new Error(`${tool} has not answered with one text`);
    const structured = JSON.parse(first.text);
    if (!isError && JSON.stringify(structuredContent) !== first.text) throw new Error(`${tool} has two answers`);
    const one = { tool, isError, text: first.text, data: structured.data, structured };
    told.push(one);
    keep(`${first.text}\n`);
    return one;
  };
  return {
    client,
    told,
    log: () => log,
    call,
    async ask(tool, input) {
      const { isError, text, data } = await call(tool, input);
      if (isError) throw new Error(`${tool}: ${text}`);
      return data;
    },
    close: () => client.close(),
  };
}
