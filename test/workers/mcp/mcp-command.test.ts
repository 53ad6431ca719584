// The command by itself: its settings, its output and its end. It calls no service.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import type { Terminal } from '#workers/admin/command.ts';
import { runCommand } from '#workers/admin/run-command.ts';
import { mcpCommand } from '#workers/mcp/mcp-command.ts';
import { SERVER } from './assistant.ts';

const SETTINGS = {
  SLIPSTREAM_URL: 'http://127.0.0.1:1/',
  SLIPSTREAM_CLIENT_ID: 'cli_1',
  SLIPSTREAM_CLIENT_SECRET: 'a-secret-of-this-test',
};
const HANDSHAKE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const request = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });

/** Runs the command in this process: with an invalid setting it ends before it serves. */
async function refused(env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    env,
    interactive: false,
    print(line) {
      out += `${line}\n`;
    },
    say(line) {
      err += `${line}\n`;
    },
    progress() {},
  };
  const code = await runCommand(mcpCommand, args, terminal, 'npm run mcp --');
  return { code, out, err };
}

/** Runs the command with these lines as its input. The input stays open until `answers` of them have come. */
function run(args: readonly string[], lines: readonly string[], answers: number) {
  const child = spawn(process.execPath, [SERVER, ...args], { env: SETTINGS });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
    if (out.split('\n').length > answers) child.stdin.end();
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  // A server that has ended reads no more.
  child.stdin.on('error', () => {});
  child.stdin.write(lines.map((line) => `${line}\n`).join(''));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

test('without its settings it does not start, and names all that are missing', async () => {
  assert.deepEqual(await refused({}), {
    code: 2,
    out: '',
    err: 'SLIPSTREAM_URL, SLIPSTREAM_CLIENT_ID, SLIPSTREAM_CLIENT_SECRET must be set\nFor help: npm run mcp -- --help\n',
  });
  const { SLIPSTREAM_CLIENT_SECRET, ...rest } = SETTINGS;
  assert.match((await refused(rest)).err, /^SLIPSTREAM_CLIENT_SECRET must be set$/m);
});

test('a setting that is invalid is named, and its value is not shown', async () => {
  for (const [env, args, message] of [
    [{ SLIPSTREAM_URL: 'ftp://hidden' }, [], /^SLIPSTREAM_URL must be the http or https address/],
    [{ SLIPSTREAM_URL: 'http://user:hidden@host' }, [], /^SLIPSTREAM_URL must be .* without user/],
    [{ SLIPSTREAM_MCP_WRITE: 'hidden' }, [], /^SLIPSTREAM_MCP_WRITE must be on or off$/m],
    [{}, ['--wriet'], /^Unknown option '--wriet'/],
  ] as const) {
    const { code, out, err } = await refused({ ...SETTINGS, ...env }, args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, message);
    assert.doesNotMatch(err, /hidden|a-secret/);
  }
});

test('standard output has the protocol and nothing else, whatever comes in, and it ends with its input', async () => {
  const lines = [
    'this is no JSON',
    JSON.stringify(HANDSHAKE),
    JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    '{"jsonrpc":"2.0","id":2,"method":"no/such/method"}',
    JSON.stringify(request(3, 'tools/list', {})),
    JSON.stringify(request(4, 'tools/call', { name: 'get_run', arguments: 'a text' })),
    JSON.stringify(request(5, 'tools/call', { name: 'get_run', arguments: { runId: '.' } })),
  ];
  const { code, out, err } = await run(['--write'], lines, 5);
  assert.equal(code, 0);
  const answers = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.ok(answers.every(({ jsonrpc }) => jsonrpc === '2.0'));
  const answer = (id: number) => answers.find((one) => one.id === id);
  assert.equal(answer(1).result.serverInfo.name, 'slipstream');
  assert.deepEqual(answer(1).result.capabilities, { tools: { listChanged: false } });
  assert.equal(answer(1).result.protocolVersion, '2025-06-18');
  assert.equal(answer(2).error.code, -32_601);
  assert.equal(answer(3).result.tools.length, 30);
  assert.ok(answer(4).error !== undefined || answer(4).result.isError);
  assert.match(answer(5).result.content[0].text, /runId/);
  assert.match(err, /^slipstream mcp: 30 tools for http:\/\/127\.0\.0\.1:1\/v1, reading and writing$/m);
  assert.doesNotMatch(out + err, /a-secret/);
});

test('a message beyond the bound ends it', async () => {
  const { code, out } = await run([], [`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(2 * 1024 * 1024)}"}`], 1);
  assert.deepEqual([code, out], [0, '']);
});

test('--help says what it does, without settings', async () => {
  const { code, out } = await refused({}, ['--help']);
  assert.equal(code, 0);
  assert.match(out, /SLIPSTREAM_MCP_WRITE/);
});
