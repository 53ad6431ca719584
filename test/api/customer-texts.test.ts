// What customers read, in answers, mails, pages and the reference, tells them nothing that only an operator can do:
// no command of this project and no setting of the service.

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Whose texts reach customers: the API, what makes its reasons, and the descriptions in its schemas. */
const SOURCES = [
  'api/**/*.{ts,tsx,js,html}',
  'schemas/{http,webhook,fantasy}/*.ts',
  'engine/{seasons,racing}/**/*.ts',
  'engine/delivery/{endpoint,filter,transport}/*.ts',
  'engine/intake/playback/*.ts',
];
/** What operators read: their listener and their page, and the outbox of a service without a mail server. */
const FOR_OPERATORS = /^api\/(?:admin|mail)\/|^api\/console\/app\/text\/en\/operators\.ts$/;
const COMMAND = /npm (?:run|start|ci|test)|\badmin -- |\bnode workers\/|systemctl/;

const settings = [...readFileSync(`${ROOT}workers/config.ts`, 'utf8').matchAll(/\bread(?:<[^']*>)?\('([A-Z_]+)'/g)].map(
  ([, name]) => name!,
);
const SETTING = new RegExp(`\\b(?:${settings.filter((name) => name.includes('_')).join('|')})\\b`);

/** The lines of a file that are no comment and no line of the log, which operators read. */
function tellingLines(file: string): string[] {
  return readFileSync(`${ROOT}${file}`, 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/^import [^;]*;$/gm, '')
    .replaceAll(/\blog\.\w+\((?:[^()]|\([^()]*\))*\)/g, '')
    .split('\n');
}

test('no text for customers names a command or a setting of the operator', () => {
  assert.ok(settings.length > 20, 'the settings are found');
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).filter(
    (file) => !FOR_OPERATORS.test(file),
  );
  assert.ok(files.length > 200, 'the sources are found');
  const found = files.flatMap((file) =>
    tellingLines(file)
      .filter((line) => /['"`>]/.test(line) && (COMMAND.test(line) || SETTING.test(line)))
      .map((line) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(found, []);
});

test('the guard sees commands and settings', () => {
  for (const text of ['run "npm run admin -- import history f1db-csv.zip"', 'npm start']) assert.match(text, COMMAND);
  assert.match('neither that of PUBLIC_URL nor one of CORS_ORIGINS', SETTING);
});
