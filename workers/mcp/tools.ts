// Every tool. docs/assistants.md lists them; test/workers/mcp/tools.test.ts holds it to this list.

import { DELIVERY_LOG_TOOLS } from './delivery-log-tools.ts';
import { FEED_TOOLS } from './feed-tools.ts';
import { PREVIEW_TOOLS } from './preview-tools.ts';
import { RUN_TOOLS } from './run-tools.ts';
import { SESSION_TOOLS } from './session-tools.ts';
import type { Tool } from './tool.ts';
import { USAGE_TOOLS } from './usage-tools.ts';
import { WEBHOOK_TOOLS } from './webhook-tools.ts';

export const TOOLS: readonly Tool[] = [
  ...FEED_TOOLS,
  ...SESSION_TOOLS,
  ...WEBHOOK_TOOLS,
  ...DELIVERY_LOG_TOOLS,
  ...RUN_TOOLS,
  ...USAGE_TOOLS,
  ...PREVIEW_TOOLS,
];
