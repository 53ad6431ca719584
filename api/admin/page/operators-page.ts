// The operators' page: its document and files, the figures that it shows, and the one thing that it does: it stops runs, as
// `admin run stop` does.

import type { IncomingMessage } from 'node:http';
import { AdminError } from '#api/admin/admin-error.ts';
import { type AdminResponse, allow, data } from '#api/admin/admin-response.ts';
import { refuseForeignPages } from '#api/admin/admission.ts';
import { operatorsText } from '#api/console/app/text/text.ts';
import { chosenEncoding } from '#api/console/chosen-encoding.ts';
import { CONSOLE_ICON } from '#api/console/console-icon.ts';
import { consoleShell } from '#api/console/console-shell.ts';
import type { BuiltConsole } from '#api/console/esbuild-console.ts';
import { documentHeaders, NO_SNIFF } from '#api/http/document-headers.ts';
import type { OperatedRun, OperatorRunStore } from '#api/simulate/operator-run-store.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId } from '#engine/base/ids.ts';
import { FINDINGS_REUSED_MS } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import type { OperatorsFindings, ShownFinding, ShownWarning } from '#schemas/http/operators.ts';
import type { Overview } from './overview.ts';

export interface OperatorsPageParts {
  readonly overview: Pick<Overview, 'now' | 'history'>;
  readonly warnings: { readonly latest: readonly ShownWarning[]; readonly count: number };
  readonly runs: Pick<OperatorRunStore, 'find' | 'requestStop'>;
  /** Asks the doctor. Bounded in time. */
  readonly diagnose: () => Promise<readonly ShownFinding[]>;
  readonly clock: Pick<Clock, 'nowMs' | 'wallMs'>;
  readonly log: Log;
}

type Answer = (request: IncomingMessage) => Promise<AdminResponse>;

const FILE_PATH = /^\/console\/files\/([\w.-]+)$/;
const STOP_PATH = /^\/runs\/([^/]+)\/stop$/;

export class OperatorsPage {
  readonly #parts: OperatorsPageParts;
  readonly #figures: ReadonlyMap<string, () => Promise<object>>;
  /** Made when the page is first asked for. */
  #building: Promise<BuiltConsole> | null = null;
  #findings: { readonly askedMs: number; readonly answer: Promise<OperatorsFindings> } | null = null;

  constructor(parts: OperatorsPageParts) {
    this.#parts = parts;
    const { overview, warnings } = parts;
    this.#figures = new Map<string, () => Promise<object>>([
      ['/overview', async () => ({ ...(await overview.now()), warnings: warnings.count })],
      ['/history', async () => overview.history()],
      ['/warnings', async () => warnings.latest.toReversed()],
      ['/findings', () => this.#latestFindings()],
    ]);
  }

  /** How to answer a request for this path, once its sender is admitted; null: the path is not of the page. */
  route(pathname: string): Answer | null {
    if (pathname === '/') return (request) => this.#document(request);
    if (pathname === '/console/icon.svg') return async () => shown({ contentType: 'image/svg+xml' }, CONSOLE_ICON);
    const [, name] = FILE_PATH.exec(pathname) ?? [];
    if (name !== undefined) return (request) => this.#file(name, request);
    const [, runId] = STOP_PATH.exec(pathname) ?? [];
    if (runId !== undefined) return (request) => this.#stop(runId, request);
    const read = this.#figures.get(pathname);
    if (read === undefined) return null;
    return async (request) => {
      allow(request, 'GET');
      refuseForeignPages(request);
      return data(await read());
    };
  }

  async #document(request: IncomingMessage): Promise<AdminResponse> {
    allow(request, 'GET');
    return shown(
      { contentType: 'text/html; charset=utf-8' },
      consoleShell(await this.#built(), '', operatorsText.shell),
    );
  }

  async #file(name: string, request: IncomingMessage): Promise<AdminResponse> {
    allow(request, 'GET');
    const file = (await this.#built()).files.get(name);
    if (file === undefined) throw new AdminError(404, 'not_found', 'The page has changed: load it again.');
    const { content, ...encoding } = chosenEncoding(file, String(request.headers['accept-encoding'] ?? ''));
    return shown({ contentType: file.contentType, immutable: true, ...encoding }, content);
  }

  #built(): Promise<BuiltConsole> {
    this.#building ??= build().catch((error: unknown) => {
      this.#building = null;
      throw error;
    });
    return this.#building;
  }

  /** Does not wait for the end: the page sees it in the list of runs. */
  async #stop(runId: string, request: IncomingMessage): Promise<AdminResponse> {
    allow(request, 'POST');
    refuseForeignPages(request);
    const { runs, log } = this.#parts;
    const run = isId('run', runId) ? await runs.find(runId) : null;
    if (run === null)
      throw new AdminError(404, 'not_found', 'There is no run with this id: the page lists those in progress.');
    if (run.mode === 'live')
      throw new AdminError(409, 'live_run', `A live run cannot be stopped: it ends with ${run.sessionId}.`);
    if (!hasEnded(run)) {
      log.info({ runId, accountId: run.accountId }, 'an operator stops a run');
      await runs.requestStop(runId);
    }
    return data({ runId, state: hasEnded(run) ? run.state : 'stopping' });
  }

  /** Questions within FINDINGS_REUSED_MS get the same answer. */
  #latestFindings(): Promise<OperatorsFindings> {
    const { clock, diagnose } = this.#parts;
    const nowMs = clock.nowMs();
    if (this.#findings === null || nowMs - this.#findings.askedMs > FINDINGS_REUSED_MS) {
      const at = new Date(clock.wallMs()).toISOString();
      this.#findings = { askedMs: nowMs, answer: diagnose().then((findings) => ({ at, findings })) };
      this.#findings.answer.catch(() => {
        this.#findings = null;
      });
    }
    return this.#findings.answer;
  }
}

/** Loaded when it is needed, because memory is not free. */
async function build(): Promise<BuiltConsole> {
  const { buildConsole } = await import('#api/console/esbuild-console.ts');
  return buildConsole('operators');
}

function hasEnded({ state }: OperatedRun): boolean {
  return state === 'stopped' || state === 'completed';
}

/** A document of the page, under the policy of the console. */
function shown(
  document: Omit<Parameters<typeof documentHeaders>[0], 'strict'>,
  content: string | Uint8Array,
): AdminResponse {
  return { headers: [...documentHeaders({ ...document, strict: true }), ...NO_SNIFF], content };
}
