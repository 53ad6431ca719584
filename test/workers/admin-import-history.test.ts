// `import history`: a release as a folder, as a zip, and from an address.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import yazl from 'yazl';
import { readF1dbRelease } from '#engine/seasons/history/f1db-release.ts';
import type { History } from '#engine/seasons/history/history.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import { runAdminCommand } from '#test/support/admin-command.ts';
import { openTestDatabase, temporaryDataDir } from '#test/support/database.ts';
import { F1DB, WITHOUT_HISTORY } from '#test/support/shared-data.ts';
import { changeTable, SMALL_RELEASE_FILES, writeSmallRelease } from '#test/support/small-release.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ADMIN = fileURLToPath(new URL('../../workers/admin.ts', import.meta.url));
const ATTRIBUTION = 'History: F1DB (f1db.com), CC BY 4.0';
const IMPORTED = { seasons: [2023, 2026], races: 2, results: 4, drivers: 3, attribution: ATTRIBUTION };

// Empty, so that a database that a refused command has made or started is seen.
const dataDir = temporaryDataDir();
const importing = (...args: string[]) => runAdminCommand(dataDir, ['import', 'history', ...args]);

async function stored(): Promise<History | null> {
  const database = await openTestDatabase(dataDir, { role: 'command' });
  try {
    return await new PostgresHistoryStore(database.connect(1)).load();
  } finally {
    await database.close();
  }
}

const small = (t: TestContext): string => writeSmallRelease(temporaryFolder(t));

/** A zip of these files. The keys are their names in it. */
async function zipOf(t: TestContext, files: Readonly<Record<string, Buffer>>): Promise<string> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(content, name);
  zip.end();
  const path = join(temporaryFolder(t), 'f1db-csv.zip');
  writeFileSync(path, await buffer(zip.outputStream));
  return path;
}

function filesOf(release: string, prefix = ''): Record<string, Buffer> {
  return Object.fromEntries(SMALL_RELEASE_FILES.map((file) => [prefix + file, readFileSync(join(release, file))]));
}

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The content of DATA_DIR/downloads. */
function left(): readonly string[] {
  const downloads = join(dataDir, 'downloads');
  return existsSync(downloads) ? readdirSync(downloads) : [];
}

async function refuses(code: number, pattern: RegExp, ...args: string[]): Promise<void> {
  const outcome = await importing(...args);
  assert.deepEqual([outcome.code, outcome.out], [code, ''], outcome.err);
  assert.match(outcome.err, pattern);
  assert.deepEqual(left(), []);
}

test('a source that is not a release is refused before the database is touched', async (t) => {
  await refuses(2, /^FOLDER, ZIP or URL is missing/);
  await refuses(2, /^FOLDER, ZIP or URL is empty/, '');
  await refuses(2, /^ftp:\/\/example\.org\/a\.zip: it must begin with https/, 'ftp://example.org/a.zip');
  await refuses(
    2,
    /^https:\/\/example\.org\/a\.zip: it must not hold a user name/,
    'https://ada:secret@example.org/a.zip',
  );
  await refuses(1, /none: there is nothing at this path/, join(dataDir, 'none'));
  await refuses(1, /neither a folder nor a file/, '/dev/null');
  await refuses(1, /^f1db-grands-prix\.csv: this table is missing\. .*nothing was imported/, temporaryFolder(t));
  assert.ok(!existsSync(join(dataDir, 'postgres')));
});

test('a zip that is damaged, hostile or not a release is refused, and no file of it is left', async (t) => {
  const release = small(t);
  const files = filesOf(release);

  const noZip = join(temporaryFolder(t), 'page.zip');
  writeFileSync(noZip, '<html>'.repeat(100));
  await refuses(1, /^page\.zip: it cannot be unpacked \(.*central directory/i, noZip);

  const truncated = await zipOf(t, files);
  truncateSync(truncated, statSync(truncated).size - 100);
  await refuses(1, /^f1db-csv\.zip: it cannot be unpacked/, truncated);

  // Stored without compression, so the zip can still be read after a change of its content.
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(content, name, { compress: false });
  zip.end();
  const bytes = await buffer(zip.outputStream);
  const other = join(temporaryFolder(t), 'f1db-csv.zip');
  writeFileSync(other, bytes.toString('latin1').replace('5258241', '5258242'), 'latin1');
  await refuses(1, /^f1db-csv\.zip\/f1db-races-race-results\.csv: its checksum is wrong/, other);

  await refuses(1, /there is no f1db-\*\.csv at its root/, await zipOf(t, filesOf(release, 'f1db/')));

  const leadingOut = await zipOf(t, filesOf(release, 'up/'));
  writeFileSync(leadingOut, readFileSync(leadingOut, 'latin1').replaceAll('up/f1db', '../f1db'), 'latin1');
  await refuses(1, /it cannot be unpacked \(invalid relative path/, leadingOut);

  const twice = await zipOf(t, { ...files, 'f1db-racez.csv': Buffer.from('id\n') });
  writeFileSync(twice, readFileSync(twice, 'latin1').replaceAll('racez.csv', 'races.csv'), 'latin1');
  await refuses(1, /^f1db-csv\.zip\/f1db-races\.csv: it appears twice/, twice);

  const bomb = await zipOf(t, { 'f1db-races.csv': Buffer.alloc(65 * 1024 * 1024) });
  assert.ok(statSync(bomb).size < 100_000);
  await refuses(1, /^f1db-csv\.zip\/f1db-races\.csv: it has 68157440 bytes.*more than/, bomb);

  const lying = readFileSync(bomb);
  lying.writeUInt32LE(10, lying.lastIndexOf('PK\x01\x02', undefined, 'latin1') + 24);
  writeFileSync(bomb, lying);
  await refuses(1, /it cannot be unpacked \(too many bytes in the stream/, bomb);

  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`a${index}`, Buffer.alloc(0)]));
  await refuses(1, /^f1db-csv\.zip: it has 1001 files, more than 1000/, await zipOf(t, many));

  const { 'f1db-races-pit-stops.csv': _, ...lacking } = files;
  await refuses(1, /^f1db-races-pit-stops\.csv: this table is missing/, await zipOf(t, lacking));
  assert.ok(!existsSync(join(dataDir, 'postgres')));
});

test('an address without a release is reported, and no file of it is left', async (t) => {
  const address = await serve(t, (request, response) => {
    switch (request.url) {
      case '/loop':
        return response.writeHead(302, { location: '/loop' }).end();
      case '/elsewhere':
        return response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      case '/nowhere':
        return response.writeHead(301).end();
      case '/page':
        return response.writeHead(200).end('<html>');
      case '/broken':
        response.writeHead(200, { 'content-length': 1_000 });
        return response.write('PK', () => response.destroy());
      case '/large':
        return response.writeHead(200).end(Buffer.alloc(65 * 1024 * 1024));
      default:
        return response.writeHead(404).end('not here');
    }
  });
  await refuses(1, /\/none: the server responded with status 404\. Check the address/, `${address}/none`);
  await refuses(1, /\/loop: it redirects more than 5 times/, `${address}/loop`);
  await refuses(1, /\/elsewhere: it redirects to "file:.*not allowed/, `${address}/elsewhere`);
  await refuses(1, /\/nowhere: it redirects to null, which is not allowed/, `${address}/nowhere`);
  await refuses(1, /^f1db-csv\.zip: it cannot be unpacked/, `${address}/page`);
  await refuses(1, /\/broken: the download failed \(.*run the command again/, `${address}/broken`);
  await refuses(1, /\/large: it has more than 67108864 bytes/, `${address}/large`);
  await refuses(1, /^http:\/\/127\.0\.0\.1:1\/: the download failed \(.*ECONNREFUSED/, 'http://127.0.0.1:1/');
  assert.ok(!existsSync(join(dataDir, 'postgres')));
});

test("Ctrl-C ends a download with the signal's exit code and leaves nothing behind", async (t) => {
  let child: ReturnType<typeof spawn> | undefined;
  const address = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-length': 1_000 });
    response.write('PK', () => child!.kill('SIGINT'));
  });
  child = spawn(process.execPath, [ADMIN, 'import', 'history', address], {
    env: { PATH: process.env.PATH, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.deepEqual([code, output], [130, 'interrupted by SIGINT\n']);
  assert.deepEqual(left(), []);
});

test('folder, zip and address give the same history; importing it again is reported and changes nothing', async (t) => {
  const release = small(t);
  const first = await importing(release);
  assert.deepEqual([first.code, first.err], [0, `${ATTRIBUTION}\n`]);
  assert.deepEqual(JSON.parse(first.out), IMPORTED);
  assert.deepEqual(await stored(), readF1dbRelease(release));

  const zip = await zipOf(t, { ...filesOf(release), 'README.md': Buffer.from('no table') });
  const again = await importing(zip);
  assert.deepEqual(JSON.parse(again.out), IMPORTED);
  assert.equal(again.err, `this history is imported already: nothing was changed\n${ATTRIBUTION}\n`);

  changeTable(release, 'f1db-races-race-results.csv', '5258241', '5258242');
  const newer = readFileSync(await zipOf(t, filesOf(release)));
  const address = await serve(t, (request, response) => {
    if (request.url === '/latest/f1db-csv.zip') response.writeHead(302, { location: '/v1/f1db-csv.zip?sig=a' }).end();
    else if (request.url === '/v1/f1db-csv.zip?sig=a') response.writeHead(200).end(newer);
    else response.writeHead(404).end();
  });
  const fetched = await importing(`${address}/latest/f1db-csv.zip`);
  assert.deepEqual([fetched.code, fetched.err], [0, `${ATTRIBUTION}\n`]);
  assert.deepEqual(await stored(), readF1dbRelease(release));
  assert.deepEqual(left(), []);
});

test('an error names the file and line of a bad row, and the current history is kept', async (t) => {
  const before = await stored();
  assert.ok(before);
  const release = small(t);
  changeTable(release, 'f1db-races-driver-standings.csv', ',105.5', ',many');
  const pattern =
    /^f1db-races-driver-standings\.csv:3: points "many" is not a number of points\. .*nothing was imported/;
  await refuses(1, pattern, release);
  await refuses(1, pattern, await zipOf(t, filesOf(release)));
  assert.deepEqual(await stored(), before);
});

test('a release is imported, and its content is reported', async (t) => {
  const releases = [{ folder: small(t), holds: IMPORTED }];
  const real = { seasons: [2014, 2026], races: 275, results: 5588, drivers: 98, attribution: ATTRIBUTION };
  if (WITHOUT_HISTORY === false) releases.push({ folder: F1DB, holds: real });
  for (const { folder, holds } of releases) {
    const { code, out, err } = await importing(folder);
    assert.deepEqual([code, err], [0, `${ATTRIBUTION}\n`]);
    assert.deepEqual(JSON.parse(out), holds);
  }
});
