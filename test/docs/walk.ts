// Walks through a document as its reader does: types the commands of its marked blocks, in order, and compares their output with
// the output that the document shows.
//
//   <!-- test: run -->          types the block into one shell, which keeps its variables. It must not fail
//   <!-- test: start NAME -->   types it into a terminal of its own, where it runs until the walk ends
//   <!-- test: see -->          all output of the last `run`. `...` stands for anything on its line, or for any lines
//   <!-- test: see NAME -->     lines that NAME prints sooner or later
//   <!-- test: program NAME --> is not typed: the test of the document's programs runs it
//
// The only differences: the walk has other ports, its own data folder, and its own folder instead of /tmp.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryDataDir } from '#test/support/database.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { outputFile } from '#test/support/output-folder.ts';
import { eventually } from '#test/support/patience.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { type Block, blocks, ROOT, read } from './documents.ts';

/** Ports in the documents: those of the service, a receiver and the operators' listener. */
const PORTS = ['8080', '9000', '8090'];
const STEP_MS_MAX = 120_000;

/** A terminal with a shell in it. */
class Terminal {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  #output = '';

  constructor(command: readonly [string, ...string[]], env: NodeJS.ProcessEnv, keep?: (chunk: Buffer) => void) {
    const [program, ...args] = command;
    this.#process = spawn(program, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    this.#closed = new Promise((resolve) => this.#process.once('close', resolve));
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        this.#output += chunk;
        keep?.(chunk);
      });
    }
  }

  get output(): string {
    return this.#output;
  }

  get ended(): boolean {
    return this.#process.exitCode !== null;
  }

  type(text: string): void {
    this.#process.stdin!.write(text);
  }

  /** Ends every process started in it. */
  async end(): Promise<void> {
    if (!this.ended) process.kill(-this.#process.pid!, 'SIGTERM');
    await this.#closed;
  }
}

export async function walk(t: TestContext, paths: readonly string[]): Promise<void> {
  const folder = temporaryFolder(t);
  const dataDir = temporaryDataDir('service');
  const ports = await freePorts(PORTS.length);
  const replaced = (text: string): string =>
    PORTS.reduce((all, port, index) => all.replaceAll(port, String(ports[index])), text)
      .replaceAll('/tmp/', `${folder}/`)
      .replaceAll('.data/', `${dataDir}/`);
  // The options make programs start sooner (test/suite.ts).
  const { PATH, HOME, NODE_OPTIONS } = process.env;
  const env = { PATH, HOME, NODE_OPTIONS, DATA_DIR: dataDir, PORT: String(ports[0]) };
  const shell = new Terminal(['bash', '-c', 'exec bash -e 2>&1'], env);
  const others = new Map<string, Terminal>();
  t.after(async () => {
    await shell.end();
    for (const other of others.values()) await other.end();
  });

  for (const path of paths) {
    let printed = '';
    for (const step of stepsOf(path)) {
      const [verb, name = ''] = step.mark.split(' ');
      const text = replaced(step.text);
      const place = `${path}, line ${step.line}`;
      if (verb === 'run') printed = await run(shell, text, folder, place);
      // A reader who comes from another document already has it running.
      else if (verb === 'start' && !others.has(name)) {
        others.set(name, new Terminal(['bash', '-c', text], env, outputFile('service')));
      } else if (verb === 'see' && name === '') assert.match(printed, seen(text, 'whole'), place);
      else if (verb === 'see') await seenIn(others.get(name)!, seen(text, 'part'), place);
    }
  }
}

function stepsOf(path: string): (Block & { readonly mark: string })[] {
  const steps = blocks(read(path)).filter((block): block is Block & { mark: string } => block.mark !== null);
  assert.ok(steps.length > 0, `${path} has commands to try`);
  for (const { mark, line } of steps)
    assert.match(mark, /^(run|start \w+|see( \w+)?|program [\w-]+)$/, `${path}, line ${line}`);
  return steps;
}

async function run(shell: Terminal, text: string, folder: string, place: string): Promise<string> {
  const file = join(folder, `${randomUUID()}.sh`);
  const done = `done ${randomUUID()}`;
  writeFileSync(file, text);
  const before = shell.output.length;
  shell.type(`. ${file} < /dev/null; echo '${done}'\n`);
  const printed = (): string => shell.output.slice(before);
  await eventually(place, () => printed().includes(done) || shell.ended, STEP_MS_MAX).catch((error: Error) => {
    throw new Error(`${error.message}\n${printed()}`);
  });
  assert.ok(printed().includes(done), `${place} failed:\n${printed()}`);
  return printed().slice(0, printed().indexOf(done));
}

async function seenIn(terminal: Terminal, pattern: RegExp, place: string): Promise<void> {
  await eventually(place, () => pattern.test(terminal.output) || terminal.ended, STEP_MS_MAX);
  assert.match(terminal.output, pattern, place);
}

/** Returns a pattern for the output that a block shows: all of an output, or some lines of it. */
export function seen(text: string, what: 'whole' | 'part'): RegExp {
  const lines = text.trimEnd().split('\n').map(linePattern).join('');
  return what === 'whole' ? new RegExp(`^\\s*${lines}\\s*$`) : new RegExp(`^${lines}`, 'm');
}

function linePattern(line: string): string {
  if (line === '...') return '(?:.*(?:\\n|$))*?';
  const literal = (part: string): string => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return `${line.split('...').map(literal).join('.*')}[^\\S\\n]*(?:\\n|$)`;
}
