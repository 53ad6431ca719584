// `npm run mcp`: tools for assistants over the Model Context Protocol.

import { runCommand } from './admin/run-command.ts';
import { mcpCommand } from './mcp/mcp-command.ts';
import { TERMINAL } from './terminal.ts';

process.exitCode = await runCommand(mcpCommand, process.argv.slice(2), TERMINAL, 'npm run mcp --');
