// The operator's command line tool: `npm run admin -- COMMAND`.

import { runAdmin } from './admin/admin-tool.ts';
import { TERMINAL } from './terminal.ts';

process.exitCode = await runAdmin(process.argv.slice(2), TERMINAL);
