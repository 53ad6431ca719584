// Other ways to gRPC: the programs of docs/api.md in Node and Python, nginx in front, TLS, health and reflection.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { credentials, loadPackageDefinition, type ServiceClientConstructor, status } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { protoPath as healthProto } from 'grpc-health-check';
import { BRIEF_SESSION, importBriefSession } from '#test/support/brief-session.ts';
import { contractService } from '#test/support/contract-service.ts';
import { grpcClient, PROTO } from '#test/support/grpc-client.ts';
import { proxyProgram, startGrpcProxy } from '#test/support/reverse-proxy.ts';
import { IN_SEASON, prepare } from './short-session.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'slipstream-grpc-'));
const service = await contractService(
  { after },
  { ...IN_SEASON, GRPC_PORT: '0', TRUST_PROXY: '127.0.0.1' },
  importBriefSession,
);
const client = await service.client('custom');
after(() => rmSync(folder, { recursive: true }));
before(async () => {
  await prepare(client, BRIEF_SESSION);
  copyFileSync(PROTO, join(folder, 'updates.proto'));
});

/** The program of docs/api.md behind this mark. */
function documented(mark: string): string {
  const found = new RegExp(`<!-- test: ${mark} -->\\n+\`\`\`\\w+\\n([^]*?)\`\`\``).exec(
    readFileSync(`${ROOT}docs/api.md`, 'utf8'),
  );
  return found![1]!;
}

function outputOf(
  program: string,
  args: readonly string[],
): Promise<{ out: string; err: string; code: number | null }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.on('close', (code) => resolve({ out, err, code }));
  });
}

async function expectedLines(): Promise<string> {
  const calls = grpcClient(service.process.grpc, client.token);
  const stream = calls.subscribe({ session: BRIEF_SESSION, feeds: ['timing.*'] });
  await stream.ended();
  calls.close();
  assert.ok(stream.updates.length > 10);
  return stream
    .bodies()
    .map((body) => `${JSON.parse(body).sequence} ${JSON.parse(body).feed} ${JSON.parse(body).utc}\n`)
    .join('');
}

test('the program in Node of docs/api.md prints every update, and the reason of a refusal', async () => {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'updates.mjs'), documented('program grpc-node'));
  const run = (token: string) =>
    outputOf(process.execPath, ['updates.mjs', service.process.grpc, token, BRIEF_SESSION]);
  const { out, err, code } = await run(client.token);
  assert.deepEqual([out, err, code], [await expectedLines(), '', 0]);
  assert.match((await run('nothing')).err, /^UNAUTHENTICATED unauthorized A valid bearer token/);
});

const PYTHON = '/usr/bin/python3';
const TIMESTAMP = `syntax = "proto3";
package google.protobuf;
message Timestamp {
  int64 seconds = 1;
  int32 nanos = 2;
}
`;
const PLUGIN = '/usr/bin/grpc_python_plugin';

/** Debian's python3-grpcio, protobuf-compiler and protobuf-compiler-grpc, which is newer than its grpc_tools. */
function hasPythonGrpc(): boolean {
  try {
    execFileSync(PYTHON, ['-c', 'import grpc'], { stdio: 'ignore' });
    execFileSync('protoc', ['--version'], { stdio: 'ignore' });
    return existsSync(PLUGIN);
  } catch {
    return false;
  }
}

test('the program in Python of docs/api.md prints the same', {
  skip: !hasPythonGrpc() && 'needs python3-grpcio, protobuf-compiler and protobuf-compiler-grpc',
}, async () => {
  const plugin = `--plugin=protoc-gen-grpc_python=${PLUGIN}`;
  // Debian has the types of Google in a package for C++, which nothing else here needs.
  mkdirSync(join(folder, 'google/protobuf'), { recursive: true });
  writeFileSync(join(folder, 'google/protobuf/timestamp.proto'), TIMESTAMP);
  execFileSync('protoc', ['-I', '.', plugin, '--python_out=.', '--grpc_python_out=.', 'updates.proto'], {
    cwd: folder,
  });
  rmSync(join(folder, 'google'), { recursive: true });
  writeFileSync(join(folder, 'updates.py'), documented('program grpc-python'));
  const run = (token: string) => outputOf(PYTHON, ['updates.py', service.process.grpc, token, BRIEF_SESSION]);
  const { out, err, code } = await run(client.token);
  assert.deepEqual([out, err, code], [await expectedLines(), '', 0]);
  assert.match((await run('nothing')).err, /^UNAUTHENTICATED unauthorized A valid bearer token/);
});

const nginx = proxyProgram('nginx');

test('nginx in front changes nothing', { skip: nginx === null && 'needs nginx' }, async (t) => {
  const proxy = await startGrpcProxy(nginx!, Number(service.process.grpc.split(':')[1]));
  t.after(() => proxy.close());
  const [direct, through] = [grpcClient(service.process.grpc, client.token), grpcClient(proxy.address, client.token)];
  const streams = [direct, through].map((calls) => calls.subscribe({ session: BRIEF_SESSION }));
  for (const stream of streams) assert.equal((await stream.ended()).code, status.OK);
  assert.deepEqual(streams[1]!.bodies(), streams[0]!.bodies());
  const refused = through.subscribe({ session: 'no-such-session' });
  assert.deepEqual([(await refused.ended()).code, refused.code()], [status.NOT_FOUND, 'not_found']);
  direct.close();
  through.close();
});

test('health and reflection answer without a token', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: the library makes the packages from the files
  const health = loadPackageDefinition(loadSync(healthProto, { enums: String })) as any;
  const Health = health.grpc.health.v1.Health as ServiceClientConstructor;
  const checks = new Health(service.process.grpc, credentials.createInsecure());
  for (const name of ['', 'slipstream.v1.Updates']) {
    const answer = await new Promise((resolve) =>
      checks.check!({ service: name }, (_: unknown, got: unknown) => resolve(got)),
    );
    assert.deepEqual(answer, { status: 'SERVING' });
  }
  checks.close();
  const proto = join(ROOT, 'node_modules/@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto');
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const reflection = loadPackageDefinition(loadSync(proto, { keepCase: true })) as any;
  const Reflection = reflection.grpc.reflection.v1.ServerReflection as ServiceClientConstructor;
  const asked = new Reflection(service.process.grpc, credentials.createInsecure());
  const call = asked.ServerReflectionInfo!();
  const answer = new Promise((resolve) => call.once('data', resolve));
  call.write({ list_services: '' });
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  const { list_services_response: listed } = (await answer) as any;
  assert.ok(listed.service.some(({ name }: { name: string }) => name === 'slipstream.v1.Updates'));
  call.end();
  asked.close();
});
