// `npm run mcp`: serves the tools for assistants.

import type { Command } from '#workers/admin/command.ts';
import { readArguments } from '#workers/admin/command-line.ts';
import { serveTools } from './mcp-server.ts';
import { readMcpSettings } from './mcp-settings.ts';
import { ToolBox } from './tool-box.ts';
import { TOOLS } from './tools.ts';

const HELP = `Lets an assistant work with one account of the service, over the Model Context Protocol (MCP) on standard input and output.
Assistants start it themselves: docs/assistants.md has the configuration. It ends with its input.

Usage: npm run -s mcp -- [--write]

  --write   Also offers the tools that change something: endpoints, replays, resends. Without it, tools only read

Settings, from the environment:

  SLIPSTREAM_URL            Address of the service, such as https://api.example.com
  SLIPSTREAM_CLIENT_ID      Client id of the account
  SLIPSTREAM_CLIENT_SECRET  Client secret of the account
  SLIPSTREAM_MCP_WRITE      on or off: the same as --write (off)

Standard output has the protocol and nothing else, so -s is needed. Logs are on standard error.

Exit codes: 0 the input has ended, 2 the command line or a setting is invalid.

Example:
  SLIPSTREAM_URL=http://localhost:8080 SLIPSTREAM_CLIENT_ID=cli_... SLIPSTREAM_CLIENT_SECRET=... npm run -s mcp -- --write`;

export const mcpCommand: Command = {
  words: 'mcp',
  summary: 'Serve tools for assistants',
  help: HELP,

  async run(args, terminal) {
    const { values } = readArguments(args, { write: { type: 'boolean', default: false } });
    const { client, baseUrl, clientSecret, write } = readMcpSettings(terminal.env, values.write);
    const report = (line: string): void =>
      terminal.say(`slipstream mcp: ${line.replaceAll(clientSecret, '[not shown]')}`);
    const toolBox = new ToolBox({ tools: TOOLS, client, write, secrets: [clientSecret], report });
    serveTools(toolBox, report);
    report(`${toolBox.tools.length} tools for ${baseUrl}, ${write ? 'reading and writing' : 'reading only'}`);
  },
};
