// Checks what a document names against what exists: links, files, scripts, commands, settings, metrics, error codes, feeds,
// routes, and every identifier in code type.

import { existsSync, globSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BENCHES } from '#bench/benches.ts';
import { FEEDS } from '#schemas/webhook/feeds.ts';
import { runAdmin } from '#workers/admin/admin-tool.ts';
import { SERVICE_HELP } from '#workers/help.ts';
import { anchors, code, prose, ROOT, read } from './documents.ts';

const FOLDERS = ['engine', 'api', 'workers', 'bench', 'schemas', 'test', 'docs', 'patches'];
const FILE_NAME = /^[\w.-]+\.(ts|cjs|sql|md)$/;
const SPAN = /`([^`\n]+)`/g;
/** A segment of a path in a document that stands for anything. */
const PLACEHOLDER = /^([A-Z]+|:\w+|\{\w+\}|\$\w+|\.\.\.)$/;
/** Folders that a path in a document may omit. */
const SHORTENED = ['.', 'engine', 'test'];
const SYSTEM_PATH = /^\/(etc|opt|root|tmp|usr|var)\//;
const BENCH_WORDS = ['all', 'compare', 'report'];
/** Names of other programs. */
const FOREIGN: ReadonlySet<string> = new Set(['subjectAltName', 'RESOURCE_EXHAUSTED']);

const files = globSync(`{${FOLDERS.join(',')}}/**/*.*`, { cwd: ROOT }).filter((path) => !path.startsWith('test/docs/'));
const fileNames = new Set(files.map((path) => basename(path)));
const sources = files.filter((path) => /\.(ts|cjs|sql|yml)$/.test(path)).map(read);
const configurations = ['package.json', 'tsconfig.json', 'biome.json'].map(read);
const words = new Set([...sources, ...configurations].flatMap((text) => text.match(/\w+/g) ?? []));
/** Quoted strings of the sources. The names of the folders in DATA_DIR are among them. */
const quoted = new Set(sources.flatMap((text) => text.match(/(?<=')[\w-]+(?=')/g) ?? []));
const scripts = new Set(Object.keys(JSON.parse(read('package.json')).scripts));
const metrics = new Set(sources.flatMap((text) => text.match(/(?<=')slipstream_\w+(?=')/g) ?? []));
const groups = new Set(FEEDS.map(({ feedId }) => feedId.split('.')[0]!));
const feedIds = new Set<string>(FEEDS.map(({ feedId }) => feedId));
export const SETTINGS = [...SERVICE_HELP.matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name!);
const routes = routesOf();
const errors = errorCodes();
const adminCommands = await commandsOf();

/**
 * Returns a sentence, with its line number, for each named thing that does not exist. `path` is the document's path, relative
 * to the project's folder.
 */
export function wrongNames(path: string, text: string): string[] {
  const plain = prose(text);
  const problems: string[] = [];
  const complain = (at: number, of: string, problem: string): void => {
    problems.push(`${path}:${of.slice(0, at).split('\n').length}: ${problem}`);
  };
  const withoutSpans = plain.replaceAll(SPAN, (span) => span.replaceAll(/[[\]()]/g, ' '));
  for (const { index, 1: target } of withoutSpans.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)) {
    const problem = target === undefined ? null : linkProblem(path, target, text);
    if (problem !== null) complain(index, plain, problem);
  }
  for (const { index, 1: span } of plain.matchAll(SPAN)) {
    for (const problem of spanProblems(path, span!)) complain(index, plain, problem);
  }
  for (const { index, 1: status, 2: errorCode } of plain.matchAll(/\b([45]\d\d) `(\w+)`/g)) {
    if (!errors.has(`${status} ${errorCode}`)) complain(index, plain, `no error ${status} has the code ${errorCode}`);
  }
  for (const { index, 0: command } of text.matchAll(
    /\bnpm (?:run|start|test)\b[^`\n|#;&>]*|slipstream-admin [^`\n|#;&>]*/g,
  )) {
    const problem = commandProblem(command);
    if (problem !== null) complain(index, text, problem);
  }
  for (const [line] of code(text).matchAll(/^.*$/gm))
    problems.push(...codeProblems(line).map((one) => `${path}: ${one}`));
  return problems;
}

function linkProblem(from: string, target: string, text: string): string | null {
  if (/^https?:/.test(target)) return null;
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (file !== '' && !existsSync(join(ROOT, path))) return `the link leads to ${path}, which is not there`;
  if (anchor === undefined) return null;
  return anchors(path === from ? text : read(path)).has(anchor) ? null : `${path} has no heading #${anchor}`;
}

function spanProblems(from: string, span: string): string[] {
  const problems: string[] = [];
  const [first = '', second] = span.split('/');
  const asPath = /^[\w./*-]+$/.test(span);
  if (
    asPath &&
    second !== undefined &&
    (FOLDERS.includes(first) || /\.(ts|sql)$/.test(span) || /^[\w-]+\/$/.test(span))
  ) {
    const found = [dirname(from), ...SHORTENED].some(
      (folder) => globSync(join(folder, span), { cwd: ROOT }).length > 0,
    );
    const ofDataDir = span === `${first}/` && quoted.has(first);
    if (!found && !ofDataDir) problems.push(`there is no file or folder ${span}`);
  } else if (FILE_NAME.test(span) && !fileNames.has(span) && !existsSync(join(ROOT, span))) {
    problems.push(`there is no file ${span}`);
  }
  const [group = ''] = span.split('.');
  if (/^[a-z-]+\.[a-z*-]+$/.test(span) && groups.has(group) && !FILE_NAME.test(span)) {
    const known = span.endsWith('.*') || feedIds.has(span);
    if (!known) problems.push(`there is no feed ${span}`);
  }
  const [, method, path] = /^(?:(GET|POST|PATCH|PUT|DELETE) )?(\/[\w/.:{}$-]+)/.exec(span) ?? [];
  if (path !== undefined && !SYSTEM_PATH.test(path) && !isRoute(method, path))
    problems.push(`there is no route ${span}`);
  for (const [name] of span.matchAll(/^slipstream_\w+$/g)) {
    const known = [...metrics].some((metric) => metric === name || (name.endsWith('_') && metric.startsWith(name)));
    if (!known) problems.push(`there is no metric ${name}`);
  }
  const isName = /^(?:[a-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z]\w*_\w+)$/.test(span) && !span.startsWith('slipstream_');
  if (isName && !words.has(span) && !FOREIGN.has(span) && !metrics.has(`slipstream_${span}`))
    problems.push(`nothing is called ${span}`);
  return problems;
}

function commandProblem(command: string): string | null {
  const [, script] = /^npm run (?:-s |--silent )?([\w:-]+)/.exec(command) ?? [];
  if (script !== undefined && !scripts.has(script)) return `there is no script ${script}: ${command}`;
  const [, args] = /^(?:npm run (?:-s )?admin -- |slipstream-admin )(.*)$/.exec(command) ?? [];
  if (args !== undefined && /^[a-z]/.test(args) && !adminCommands.some((known) => `${args} `.startsWith(`${known} `))) {
    return `there is no command ${args}`;
  }
  const [, bench] = /^npm run (?:-s )?bench -- ([a-z][\w-]*)/.exec(command) ?? [];
  if (bench !== undefined && !(bench in BENCHES) && !BENCH_WORDS.includes(bench)) return `there is no bench ${bench}`;
  return null;
}

/** Returns the problems of a line that a reader may type. */
function codeProblems(line: string): string[] {
  const problems: string[] = [];
  for (const [, assignments] of line.matchAll(/^\s*((?:[A-Z_]+=\S+ )+)npm (?:start|run)/g)) {
    for (const [name] of assignments!.matchAll(/[A-Z_]+(?==)/g)) {
      if (!SETTINGS.includes(name)) problems.push(`there is no setting ${name}: ${line.trim()}`);
    }
  }
  for (const [, path] of line.matchAll(/\blocalhost:\d+(\/v1\/[^\s"'?;)]*)/g)) {
    if (!isRoute(undefined, path!)) problems.push(`there is no route ${path}`);
  }
  for (const [path] of line.matchAll(/(?<=--test.* )test\/\S+\.test\.ts/g)) {
    if (globSync(path, { cwd: ROOT }).length === 0) problems.push(`there is no test ${path}`);
  }
  return problems;
}

interface Route {
  readonly method: string;
  readonly segments: readonly string[];
}

function routesOf(): Route[] {
  const api = [...read('api/app.ts').matchAll(/route\('(\w+)', '([^']+)'/g)].map(([, method, path]) => ({
    method,
    path,
  }));
  const operators = [
    { method: 'GET', path: '/metrics' },
    { method: 'GET', path: '/v1/ingest/:session' },
    { method: 'POST', path: '/v1/ingest/:session' },
    { method: 'POST', path: '/v1/ingest/:session/end' },
    ...['/overview', '/history', '/warnings', '/findings'].map((path) => ({ method: 'GET', path })),
    { method: 'POST', path: '/runs/:id/stop' },
  ];
  return [...api, ...operators].map(({ method, path }) => ({ method: method!, segments: path!.split('/').slice(1) }));
}

/** Whether this route, or one below it, exists. */
function isRoute(method: string | undefined, path: string): boolean {
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  return routes.some(
    (route) =>
      (method === undefined || method === route.method) &&
      route.segments.length >= segments.length &&
      segments.every((given, index) => {
        const segment = route.segments[index]!;
        return segment === given || segment.startsWith(':') || PLACEHOLDER.test(given);
      }),
  );
}

/** Returns the error codes of the API and of the operators' listener, such as `404 not_found`. */
function errorCodes(): Set<string> {
  const api = [...read('api/http/api-error.ts').matchAll(/^ {2}(\w+): \[\s*(\d{3}),/gm)].map(
    ([, name, status]) => `${status} ${name}`,
  );
  const operators = files
    .filter((path) => path.startsWith('api/admin/'))
    .flatMap((path) =>
      [...read(path).matchAll(/\b(\d{3}),\s*'(\w+)'/g)].map(([, status, name]) => `${status} ${name}`),
    );
  return new Set([...api, ...operators]);
}

/** Returns the words of each command of `npm run admin`. */
async function commandsOf(): Promise<string[]> {
  let help = '';
  await runAdmin(['--help'], {
    env: {},
    interactive: false,
    print(line) {
      help += line;
    },
    say() {},
    progress() {},
  });
  return [...help.matchAll(/^ {2}([a-z][a-z -]*?) {2,}/gm)].map(([, command]) => command!);
}

/** Returns the documents that a reader can reach from the README. A link to a folder leads to all documents in it. */
export function reachable(): Set<string> {
  const seen = new Set<string>();
  const waiting = ['README.md'];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path) || !existsSync(join(ROOT, path))) continue;
    if (statSync(join(ROOT, path)).isDirectory()) {
      waiting.push(...globSync(`${path}/*.md`, { cwd: ROOT }));
      continue;
    }
    seen.add(path);
    if (!path.endsWith('.md')) continue;
    for (const [, target] of prose(read(path)).matchAll(/\]\((?!https?:)([^)#\s]+)/g))
      waiting.push(join(dirname(path), target!));
  }
  return seen;
}
