// The settings of `npm run mcp`, from the environment: assistants keep them in the configuration of a server.

import { SlipstreamClient } from '#api/client/slipstream-client.ts';
import { UsageError } from '#workers/admin/command.ts';
import { apiAddress } from '#workers/api-address.ts';

type Env = Readonly<Record<string, string | undefined>>;

const NEEDED = ['SLIPSTREAM_URL', 'SLIPSTREAM_CLIENT_ID', 'SLIPSTREAM_CLIENT_SECRET'] as const;

export interface McpSettings {
  readonly client: SlipstreamClient;
  /** Without user and password. */
  readonly baseUrl: string;
  readonly clientSecret: string;
  readonly write: boolean;
}

/** `write`: the switch of the command line. Throws a UsageError that names every setting that is missing or invalid. */
export function readMcpSettings(env: Env, write: boolean): McpSettings {
  const missing = NEEDED.filter((name) => !env[name]);
  if (missing.length > 0) throw new UsageError(`${missing.join(', ')} must be set`);
  const clientSecret = env.SLIPSTREAM_CLIENT_SECRET!;
  const baseUrl = apiAddress(env.SLIPSTREAM_URL!, 'SLIPSTREAM_URL');
  const client = new SlipstreamClient({ baseUrl, clientId: env.SLIPSTREAM_CLIENT_ID!, clientSecret });
  return { client, baseUrl, clientSecret, write: write || writeOf(env.SLIPSTREAM_MCP_WRITE) };
}

function writeOf(text: string | undefined): boolean {
  if (text === undefined || text === '' || text === 'off') return false;
  if (text === 'on') return true;
  throw new UsageError('SLIPSTREAM_MCP_WRITE must be on or off');
}
