// The receivers of docs/receiving.md in each language, as a reader would copy them: the program that verifies and the one that
// receives, side by side in a folder.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { blocks, read } from '#test/docs/documents.ts';
import { freePorts } from './free-ports.ts';
import { eventually } from './patience.ts';
import { temporaryFolder } from './temporary-folder.ts';

interface Language {
  /** As the document's blocks name it. */
  readonly language: string;
  readonly extension: string;
  /** The package of Debian that brings the language. */
  readonly debianPackage: string;
  /** Succeeds where the language is installed. */
  readonly probe: readonly [string, ...string[]];
}

interface ReceiverLanguage extends Language {
  readonly command: (port: number) => readonly [string, ...string[]];
}

export const RECEIVER_LANGUAGES: readonly ReceiverLanguage[] = [
  {
    language: 'ts',
    extension: 'ts',
    debianPackage: 'nodejs',
    probe: [process.execPath, '--version'],
    command: () => [process.execPath, 'receiver.ts'],
  },
  {
    language: 'python',
    extension: 'py',
    debianPackage: 'python3',
    probe: ['python3', '--version'],
    command: () => ['python3', 'receiver.py'],
  },
  {
    language: 'go',
    extension: 'go',
    debianPackage: 'golang-go',
    probe: ['go', 'version'],
    command: () => ['go', 'run', 'receiver.go', 'verify.go'],
  },
  {
    language: 'php',
    extension: 'php',
    debianPackage: 'php-cli',
    probe: ['php', '--version'],
    command: (port) => ['php', '-S', `localhost:${port}`, 'receiver.php'],
  },
  {
    language: 'ruby',
    extension: 'rb',
    debianPackage: 'ruby',
    probe: ['ruby', '-r', 'webrick', '-e', ''],
    command: () => ['ruby', 'receiver.rb'],
  },
];
export const SHELL: Language = {
  language: 'bash',
  extension: 'sh',
  debianPackage: 'openssl',
  probe: ['bash', '-c', 'openssl version'],
};

export interface DocumentedReceiver {
  /** Where it runs. It keeps deliveries below `received/`. */
  readonly folder: string;
  readonly port: number;
  /** The lines that it has printed. */
  printed(): string[];
}

/** The first build of a Go program also builds the standard library. */
const START_MS_MAX = 120_000;

/** Returns false where the language is installed, and otherwise why it is skipped and what to do. */
export function missing({ language, debianPackage, probe: [program, ...args] }: Language): string | false {
  if (spawnSync(program, args).status === 0) return false;
  return `what runs ${language} is not installed: the Debian package ${debianPackage} brings it`;
}

/** Returns the languages of the programs with this mark, in the order of the document. */
export function documentedLanguages(mark: 'verify' | 'receiver'): string[] {
  return blocks(read('docs/receiving.md'))
    .filter((block) => block.mark === mark)
    .map(({ language }) => language);
}

/** Returns the text of a program. */
export function documentedProgram(mark: 'verify' | 'receiver', { language }: Language): string {
  const programs = blocks(read('docs/receiving.md')).filter((block) => block.mark === mark);
  const found = programs.find((block) => block.language === language);
  assert.ok(found, `docs/receiving.md has a program in ${language} after <!-- test: ${mark} -->`);
  return found.text;
}

/** Starts the receiver and waits until it listens. */
export async function startReceiver(
  t: TestContext,
  language: ReceiverLanguage,
  secret: string,
): Promise<DocumentedReceiver> {
  const folder = temporaryFolder(t);
  for (const mark of ['verify', 'receiver'] as const) {
    writeFileSync(join(folder, `${mark}.${language.extension}`), documentedProgram(mark, language));
  }
  const [port] = (await freePorts(1)) as [number];
  const [program, ...args] = language.command(port);
  // `go run` starts a process of its own, which ends with its process group.
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  t.after(() => endGroup(child));
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const listens = async () => {
    assert.equal(child.exitCode, null, err);
    return accepts(port);
  };
  await eventually(`the receiver in ${language.language} listens`, listens, START_MS_MAX, 50);
  return { folder, port, printed: () => out.split('\n').filter((line) => line !== '') };
}

function endGroup(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once('close', () => resolve());
    process.kill(-child.pid!, 'SIGKILL');
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, 'localhost');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
