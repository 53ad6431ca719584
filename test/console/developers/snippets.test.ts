// Programs that developers begin with.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { test } from 'node:test';
import {
  environment,
  LANGUAGES,
  LISTEN,
  mcpConfiguration,
  SECRET_VARIABLE,
  shellQuoted,
  snippet,
} from '#api/console/app/pages/developers/snippets.ts';

const ID = 'cli_01m852kn69zvet0x8vz8ydfj77';
const URL_OF_SERVICE = 'https://data.example.org/races';

test('every program has the id and the address, and reads the secret from the environment', () => {
  for (const language of LANGUAGES) {
    const { code } = snippet(language, ID, URL_OF_SERVICE);
    assert.ok(code.includes(ID) && code.includes(`${URL_OF_SERVICE}/v1`), language);
    assert.ok(code.includes(SECRET_VARIABLE), language);
  }
});

test('commands and settings are what a shell takes', () => {
  const script = [snippet('curl', ID, URL_OF_SERVICE).code, environment(ID, URL_OF_SERVICE), LISTEN].join('\n');
  execFileSync('bash', ['-n'], { input: script });
});

test('the command of curl finds the token in the answer of the service', () => {
  const answer = '{"access_token":"tok_x","token_type":"Bearer","expires_in":43200}';
  const fake = `curl() { case "$*" in *oauth*'-d grant_type=client_credentials') echo '${answer}';; *) echo "$@";; esac; }\n`;
  const printed = execFileSync('bash', { input: fake + snippet('curl', ID, URL_OF_SERVICE).code, encoding: 'utf8' });
  assert.equal(printed.trim(), `-s ${URL_OF_SERVICE}/v1/feeds -H Authorization: Bearer tok_x`);
});

test('TypeScript is TypeScript, and the configuration of assistants is JSON', () => {
  assert.ok(stripTypeScriptTypes(snippet('typescript', ID, URL_OF_SERVICE).code).includes('listFeeds'));
  const { mcpServers } = JSON.parse(mcpConfiguration(ID, URL_OF_SERVICE));
  assert.equal(mcpServers.slipstream.env.SLIPSTREAM_CLIENT_ID, ID);
  assert.equal(mcpServers.slipstream.env.SLIPSTREAM_URL, URL_OF_SERVICE);
});

test('an address with signs of a shell stays one word', () => {
  const word = `it's $(date) "x"`;
  const printed = execFileSync('bash', ['-c', `printf %s ${shellQuoted(word)}`], { encoding: 'utf8' });
  assert.equal(printed, word);
});
