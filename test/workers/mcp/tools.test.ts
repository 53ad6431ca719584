// The tools against the client and against docs/assistants.md.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MCP_ANSWER_CHARS_MAX, MCP_WAIT_S_MAX } from '#engine/base/limits.ts';
import { CALL_NAMES } from '#workers/client/call-names.ts';
import { TOOLS } from '#workers/mcp/tools.ts';
import { startAssistant } from './assistant.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const guide = readFileSync(`${ROOT}docs/assistants.md`, 'utf8');

/** What assistants cannot do, by purpose. */
const WITHOUT_TOOL = [
  // Secrets.
  'GET /webhooks/{webhookId}/secret',
  'POST /webhooks/{webhookId}/rotate-secret',
  // Scores: not part of working with webhooks and replays.
  'GET /fantasy/races/{raceId}/scores',
  'GET /fantasy/session/{sessionId}/scores',
  'GET /fantasy/session/{sessionId}/pit-times',
];

test('every call of the client is behind a tool, or left out on purpose', () => {
  const used = TOOLS.flatMap(({ operations }) => operations);
  assert.deepEqual([...new Set([...used, ...WITHOUT_TOOL])].sort(), Object.keys(CALL_NAMES).sort());
  assert.deepEqual(
    WITHOUT_TOOL.filter((operation) => used.includes(operation)),
    [],
  );
});

test('what a tool may do agrees with the methods of its calls: only GET reads, and a GET that starts something writes', () => {
  for (const { name, hints, operations } of TOOLS) {
    const reads = operations.every((operation) => operation.startsWith('GET ') && operation !== 'GET /simulate/stream');
    assert.equal(hints.readOnlyHint, reads, name);
  }
});

test('names, titles and descriptions of tools and arguments are there, and no name is taken twice', () => {
  assert.equal(new Set(TOOLS.map(({ name }) => name)).size, TOOLS.length);
  for (const { name, title, description, input } of TOOLS) {
    assert.match(name, /^[a-z]+(_[a-z]+)+$/);
    assert.doesNotMatch(title, /[.`]/);
    assert.match(description, /^[A-Z].{20,}\.$/, name);
    for (const [argument, schema] of Object.entries(input.properties)) {
      const { type, description, enum: values } = schema as { type?: string; description?: string; enum?: string[] };
      assert.ok(
        description !== undefined || values !== undefined || type === 'boolean' || /Url$/.test(argument),
        `${name} ${argument}`,
      );
    }
  }
});

test('docs/assistants.md lists every tool, what it does and whether it changes something', () => {
  const rows = [...guide.matchAll(/^\| `(\w+)` +\| (.+?) +\| (yes)? +\|$/gm)].map(([, ...cells]) => cells);
  assert.deepEqual(
    rows,
    TOOLS.map(({ name, title, hints }) => [name, title, hints.readOnlyHint ? undefined : 'yes']),
  );
  assert.ok(guide.includes(`${MCP_ANSWER_CHARS_MAX.toLocaleString('en')} characters`));
  assert.ok(guide.includes(`waits ${MCP_WAIT_S_MAX} seconds`));
});

test('the configuration of docs/assistants.md starts the server, with the switch behind it too', async () => {
  const [, json] = /```json\n(.*?)```/s.exec(guide)!;
  const { command, args, env } = JSON.parse(json!).mcpServers.slipstream;
  const assistant = await startAssistant({
    command,
    args: [...args.map((argument: string) => argument.replace('/path/to/slipstream', ROOT)), '--', '--write'],
    env,
  });
  try {
    assert.equal((await assistant.client.listTools()).tools.length, TOOLS.length);
    assert.match(assistant.log(), /for https:\/\/api\.example\.com\/v1, reading and writing/);
  } finally {
    await assistant.close();
  }
});
