// HAProxy and nginx in front of a server, as operators run them, if this machine has them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from './free-ports.ts';

export type ProxyKind = 'haproxy' | 'nginx';

const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin'];

/** The program's path; null if the machine does not have it. */
export function proxyProgram(kind: ProxyKind): string | null {
  return FOLDERS.map((folder) => join(folder, kind)).find((path) => existsSync(path)) ?? null;
}

export interface ReverseProxy {
  readonly address: string;
  close(): Promise<void>;
}

/** Starts the proxy in front of `127.0.0.1:port`. Resolves when it takes connections. */
export async function startReverseProxy(kind: ProxyKind, program: string, port: number): Promise<ReverseProxy> {
  const { own, ...proxy } = await start(kind, program, (dir, free) =>
    kind === 'haproxy' ? haproxyConfig(free, port) : nginxConfig(dir, httpServer(free, port)),
  );
  return { address: `http://127.0.0.1:${own}`, ...proxy };
}

/** Starts nginx in front of gRPC at `127.0.0.1:port`. Its address is `127.0.0.1:PORT`. */
export async function startGrpcProxy(program: string, port: number): Promise<ReverseProxy> {
  const { own, ...proxy } = await start('nginx', program, (dir, free) => nginxConfig(dir, grpcServer(free, port)));
  return { address: `127.0.0.1:${own}`, ...proxy };
}

async function start(kind: ProxyKind, program: string, configOf: (dir: string, own: number) => string) {
  const dir = mkdtempSync(join(tmpdir(), `slipstream-${kind}-`));
  const [own = 0] = await freePorts(1);
  const config = join(dir, 'proxy.conf');
  writeFileSync(config, configOf(dir, own));
  const args = kind === 'haproxy' ? ['-db', '-f', config] : ['-p', dir, '-c', config, '-e', 'stderr'];
  const process = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  process.stderr.on('data', (chunk) => {
    output += chunk;
  });
  await untilListening(own, process, () => output);
  return {
    own,
    async close() {
      const ended = once(process, 'exit');
      process.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function untilListening(port: number, process: ChildProcess, output: () => string): Promise<void> {
  for (;;) {
    if (process.exitCode !== null) throw new Error(`the proxy ended with ${process.exitCode}: ${output()}`);
    const socket = connect(port, '127.0.0.1');
    const [event] = await Promise.race([
      once(socket, 'connect').then(() => ['connect']),
      once(socket, 'error').then(() => ['error']),
    ]).catch(() => ['error']);
    socket.destroy();
    if (event === 'connect') return;
    await pause(20);
  }
}

function haproxyConfig(own: number, port: number): string {
  return `
global
  maxconn 64
defaults
  mode http
  timeout connect 10s
  timeout client 30s
  timeout server 30s
  option abortonclose
frontend front
  bind 127.0.0.1:${own}
  default_backend service
backend service
  server service 127.0.0.1:${port}
`;
}

function nginxConfig(dir: string, server: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
pid ${dir}/nginx.pid;
worker_processes 1;
${process.geteuid?.() === 0 ? '# Else its workers could not write into the folder.\nuser root;' : ''}
events { worker_connections 64; }
http {
  access_log off;
${paths.map((name) => `  ${name}_temp_path ${dir}/${name};`).join('\n')}
${server}
}
`;
}

function httpServer(own: number, port: number): string {
  return `
  upstream service { server 127.0.0.1:${port}; keepalive 4; }
  server {
    listen 127.0.0.1:${own};
    location / {
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
    }
  }`;
}

/** As in docs/operating.md, without TLS. */
function grpcServer(own: number, port: number): string {
  return `
  server {
    listen 127.0.0.1:${own} http2;
    large_client_header_buffers 4 16k;
    http2_max_concurrent_streams 100;
    location / {
      grpc_pass grpc://127.0.0.1:${port};
      grpc_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      grpc_read_timeout 24h;
      grpc_send_timeout 24h;
    }
  }`;
}
