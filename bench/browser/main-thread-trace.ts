// What the main thread of a page did, from a trace of the browser: how long each of its tasks took, and how much of its time
// went to scripts, styles, layout and painting.
//
// Events of a thread nest. The time of an event without that of the events within it counts for its own kind, so no time
// counts twice.

import { assert } from '#engine/base/assert.ts';
import type { CDPSession } from './chromium.ts';

export const WORK = ['script', 'style', 'layout', 'paint', 'garbage collection', 'other'] as const;
export type Work = (typeof WORK)[number];

/** An event as the browser traces it; times in microseconds. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

export interface MainThread {
  /** The length of each task, ms. */
  readonly taskMs: readonly number[];
  readonly workMs: ReadonlyMap<Work, number>;
}

const CATEGORIES = ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel', 'v8', '__metadata'];
const TASKS: ReadonlySet<string> = new Set(['RunTask', 'ThreadControllerImpl::RunTask']);
const KINDS: Readonly<Record<string, Work>> = {
  EvaluateScript: 'script',
  FunctionCall: 'script',
  FireAnimationFrame: 'script',
  EventDispatch: 'script',
  TimerFire: 'script',
  RunMicrotasks: 'script',
  'V8.GC_MC_BACKGROUND_MARKING': 'garbage collection',
  MinorGC: 'garbage collection',
  MajorGC: 'garbage collection',
  'V8.GCIncrementalMarking': 'garbage collection',
  UpdateLayoutTree: 'style',
  RecalcStyle: 'style',
  Layout: 'layout',
  HitTest: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  Layerize: 'paint',
  Commit: 'paint',
  UpdateLayer: 'paint',
};

/** Traces the page for a while. */
export async function traceMainThread(session: CDPSession, ms: number): Promise<MainThread> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }): void => void events.push(...(value as TraceEvent[]));
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, excludedCategories: ['*'] },
  });
  await new Promise((resolve) => setTimeout(resolve, ms));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  session.off('Tracing.dataCollected', collect);
  return mainThreadOf(events);
}

/** Of several pages, that of the busiest one: other pages of the browser are still. */
export function mainThreadOf(events: readonly TraceEvent[]): MainThread {
  const threads = events
    .filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => summary(events.filter((event) => event.pid === pid && event.tid === tid)));
  const [busiest] = threads.toSorted((a, b) => b.taskMs.length - a.taskMs.length);
  assert(busiest !== undefined, 'the trace has the main thread of a page');
  return busiest;
}

function summary(events: readonly TraceEvent[]): MainThread {
  const spans = events.filter(({ ph }) => ph === 'X').toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const workMs = new Map<Work, number>(WORK.map((work) => [work, 0]));
  const taskMs: number[] = [];
  const open: { endUs: number; work: Work | null }[] = [];
  const add = (work: Work | null, us: number): void => {
    if (work !== null) workMs.set(work, workMs.get(work)! + us / 1_000);
  };
  for (const { name, ts, dur = 0 } of spans) {
    while (open.length > 0 && open.at(-1)!.endUs <= ts) open.pop();
    const outer = open.at(-1)?.work ?? null;
    const isTask = TASKS.has(name);
    if (isTask && outer === null) taskMs.push(dur / 1_000);
    // What has no kind of its own belongs to what it is part of.
    const work = KINDS[name] ?? outer ?? (isTask ? 'other' : null);
    add(outer, -dur);
    add(work, dur);
    open.push({ endUs: ts + dur, work });
  }
  return { taskMs, workMs };
}
