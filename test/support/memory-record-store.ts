// A record store in memory with faults on request. It passes the same conformance suite as the one on PostgreSQL, and holds
// attempts as that one does: a row of the journal for each commit, which folding turns into pages.

import { assert } from '#engine/base/assert.ts';
import { LOG_BLOCK_NUMBERS_MAX } from '#engine/base/limits.ts';
import { JournalRow, JournalRowWriter } from '#engine/delivery/delivery-log/journal-row.ts';
import {
  encodeCheckpoints,
  type LateCheckpoints,
  latest,
  latestOf,
} from '#engine/delivery/delivery-log/late-checkpoints.ts';
import { attemptsOfPage, foldedPages, type LogPage, numberedFrom } from '#engine/delivery/delivery-log/log-page.ts';
import type { SkippedSpan } from '#engine/delivery/delivery-log/missed-updates.ts';
import {
  type AttemptRecord,
  type Attempts,
  type Checkpoint,
  NO_SPANS,
  type RecordBatch,
  type RecordStore,
  type Writer,
  WriterSuperseded,
} from '#engine/delivery/delivery-log/record-store.ts';
import type { WriterStore } from '#engine/delivery/delivery-log/unrecorded-batches.ts';
import { type DueDelta, NOTHING_DUE } from '#engine/delivery/usage/due-outcome.ts';
import { LatencySketch } from '#engine/delivery/usage/latency-sketch.ts';
import type { LatencyDelta, UsageDelta } from '#engine/delivery/usage/usage-delta.ts';

/** The largest value of an `integer` column in PostgreSQL. */
const INTEGER_MAX = 2 ** 31 - 1;

export type StoreFault = 'none' | 'refuse' | 'lose-answer' | 'hang';

export class MemoryRecordStore implements RecordStore, WriterStore {
  readonly #journal: JournalRow[] = [];
  readonly #pages: LogPage[] = [];
  readonly #rowWriter = new JournalRowWriter();
  #nextLogNo = 0n;
  /** What the journal and the pages hold; null after a change. */
  #attempts: readonly AttemptRecord[] | null = [];
  readonly usage = new Map<string, UsageDelta>();
  readonly latency = new Map<string, LatencyDelta>();
  readonly #due = new Map<string, DueDelta[]>();
  readonly #checkpoints = new Map<string, Checkpoint>();
  /** By writer. */
  readonly #late = new Map<string, LateCheckpoints[]>();
  readonly #spans = new Map<string, Map<number, SkippedSpan>>();
  /** The admitted epoch of each writer, and its last batch. */
  readonly #writers = new Map<string, { readonly epoch: number; batchNo: number }>();
  readonly #deletedRuns = new Set<string>();
  /** What happens to the next commits. */
  fault: StoreFault = 'none';
  commits = 0;
  /** Batches that took effect. */
  written = 0;
  /** How many of the next reads fail. */
  unreadable = 0;
  #readable: Promise<void> = Promise.resolve();

  async admit({ name, epoch }: Writer): Promise<void> {
    const admitted = this.#writers.get(name);
    if (admitted === undefined || admitted.epoch < epoch) {
      this.#writers.set(name, { epoch, batchNo: 0 });
      this.#applyLate(name);
    }
  }

  /** Fences off all present writers, as the start of a new service does. */
  supersedeWriters(): void {
    for (const name of this.#writers.keys()) {
      this.#writers.set(name, { epoch: INTEGER_MAX, batchNo: 0 });
      this.#applyLate(name);
    }
  }

  /** The delivery log in the order of its numbers. */
  get attempts(): readonly AttemptRecord[] {
    this.#attempts ??= [
      ...this.#pages.flatMap(({ head, data }) => attemptsOfPage(head, data)),
      ...this.#journal.flatMap((row) =>
        [...row.webhookNos].flatMap((webhookNo) => numberedFrom(row.firstLogNo, row.of(webhookNo))),
      ),
    ]
      .sort((a, b) => Number(a.logNo - b.logNo))
      .map(({ attempt }) => attempt);
    return this.#attempts;
  }

  /** Folds so many of the oldest rows of the journal. Interrupted after so many pages, it changes nothing. */
  fold(rowsMax = Number.POSITIVE_INFINITY, interruptedAfter = Number.POSITIVE_INFINITY): void {
    const rows = this.#journal.slice(0, rowsMax);
    const pages: LogPage[] = [];
    for (const page of foldedPages(rows)) {
      if (pages.length === interruptedAfter) return;
      pages.push(page);
    }
    this.#pages.push(...pages);
    this.#journal.splice(0, rows.length);
    this.#attempts = null;
  }

  async commit(batch: RecordBatch): Promise<void> {
    this.commits++;
    if (this.fault === 'hang') return new Promise(() => {});
    if (this.fault === 'refuse') throw new Error('the store refuses');
    const admitted = this.#writers.get(batch.writer.name);
    if (admitted?.epoch !== batch.writer.epoch) throw new WriterSuperseded(batch.writer);
    if (admitted.batchNo < batch.batchNo) this.#write(batch);
    if (this.fault === 'lose-answer') throw new Error('the answer was lost');
  }

  async lastBatch({ name, epoch }: Writer): Promise<number | null> {
    const admitted = this.#writers.get(name);
    if (admitted === undefined || admitted.epoch > epoch) return null;
    return admitted.epoch === epoch ? admitted.batchNo : 0;
  }

  async checkpoints(runId: string, webhookIds: readonly string[]): Promise<Checkpoint[]> {
    await this.#readable;
    if (this.unreadable-- > 0) throw new Error('the store cannot be read');
    return webhookIds.flatMap((webhookId) => this.#checkpoints.get(`${runId} ${webhookId}`) ?? []);
  }

  /** Delays reads of checkpoints until the returned function is called. */
  delayCheckpoints(): () => void {
    let release = (): void => {};
    this.#readable = new Promise((resolve) => {
      release = resolve;
    });
    return () => release();
  }

  /** Adds a checkpoint as if an earlier writer had left it. */
  put(checkpoint: Checkpoint): void {
    this.#checkpoints.set(`${checkpoint.runId} ${checkpoint.webhookId}`, checkpoint);
  }

  /** What was skipped, in the order of the timeline. */
  spans(runId: string, webhookId: string): SkippedSpan[] {
    const spans = this.#spans.get(`${runId} ${webhookId}`)?.values() ?? [];
    return [...spans].sort((a, b) => a.first - b.first);
  }

  /** What became of the endpoint's updates that were due, by month and outcome. */
  due(runId: string, webhookId: string): readonly DueDelta[] {
    return this.#due.get(`${runId} ${webhookId}`) ?? NOTHING_DUE;
  }

  /** What became of the updates of a run that were due, ordered by month and outcome. */
  dueOf(runId: string): DueDelta[] {
    const keys = [...this.#due.keys()].filter((key) => key.startsWith(`${runId} `));
    return keys
      .flatMap((key) => this.#due.get(key)!)
      .reduce(added, [])
      .sort((a, b) => `${a.month} ${a.outcome}`.localeCompare(`${b.month} ${b.outcome}`));
  }

  /** Deletes a run, as happens with its account: its checkpoints are dropped from now on. */
  deleteRun(runId: string): void {
    this.#deletedRuns.add(runId);
  }

  checkpoint(runId: string, webhookId: string): Checkpoint | undefined {
    return this.#checkpoints.get(`${runId} ${webhookId}`);
  }

  /** The checkpoint from which the next epoch resumes: one that came late counts. */
  durableCheckpoint(runId: string, webhookId: string): Checkpoint | undefined {
    const late = [...this.#late.values()].flatMap(latestOf);
    return (
      late.find((checkpoint) => checkpoint.runId === runId && checkpoint.webhookId === webhookId) ??
      this.checkpoint(runId, webhookId)
    );
  }

  #write(batch: RecordBatch): void {
    if ([...batch.attempts].some(({ webhookNo }) => webhookNo > INTEGER_MAX))
      throw new Error('a number is out of range');
    this.#writers.get(batch.writer.name)!.batchNo = batch.batchNo;
    this.written++;
    if (batch.attempts.length > 0) this.#log(batch.attempts);
    for (const delta of batch.usage) {
      const key = `${delta.accountId} ${delta.month} ${delta.day} ${delta.feedId}`;
      const sum = this.usage.get(key);
      if (sum === undefined) {
        this.usage.set(key, { ...delta });
        continue;
      }
      sum.attempts += delta.attempts;
      if (delta.demo !== undefined) sum.demo = (sum.demo ?? 0) + delta.demo;
      if (delta.streamed !== undefined) sum.streamed = (sum.streamed ?? 0) + delta.streamed;
      if (delta.demoStreamed !== undefined) sum.demoStreamed = (sum.demoStreamed ?? 0) + delta.demoStreamed;
      sum.succeeded += delta.succeeded;
      sum.failed += delta.failed;
      sum.skipped += delta.skipped;
    }
    for (const delta of batch.latency) {
      const key = `${delta.accountId} ${delta.month} ${delta.feedId}`;
      const sum = new LatencySketch();
      sum.merge(delta.counts);
      sum.merge(this.latency.get(key)?.counts ?? []);
      this.latency.set(key, { ...delta, counts: sum.take() });
    }
    this.#stand(batch);
    for (const checkpoint of batch.checkpoints) {
      if (this.#deletedRuns.has(checkpoint.runId)) continue;
      const key = `${checkpoint.runId} ${checkpoint.webhookId}`;
      const { due = NOTHING_DUE } = checkpoint;
      this.#due.set(key, [...this.due(checkpoint.runId, checkpoint.webhookId), ...due].reduce(added, []));
      const spans = this.#spans.get(key) ?? new Map<number, SkippedSpan>();
      for (const span of checkpoint.spans) spans.set(span.first, span);
      this.#spans.set(key, spans);
    }
  }

  /** Adds a row with a block of numbers of its own. */
  #log(attempts: Attempts): void {
    const { done, value } = this.#rowWriter.write(attempts, Number.POSITIVE_INFINITY).next();
    assert(done === true, 'a row that never yields is complete');
    this.#journal.push(new JournalRow(this.#nextLogNo, new Uint8Array(value.bytes)));
    this.#nextLogNo += BigInt(LOG_BLOCK_NUMBERS_MAX);
    this.#attempts = null;
  }

  #stand({ writer, batchNo, checkpoints, checkpointsAreLate, lateRows }: RecordBatch): void {
    if (checkpointsAreLate === true) {
      const upToBatchNo = lateRows?.upToBatchNo ?? 0;
      const late = (this.#late.get(writer.name) ?? []).filter((row) => row.batchNo > upToBatchNo);
      for (const checkpoint of lateRows?.checkpoints ?? []) this.#row(checkpoint);
      this.#late.set(writer.name, late);
      if (upToBatchNo === batchNo) return;
      const { done, value } = encodeCheckpoints(latest(checkpoints), Number.POSITIVE_INFINITY).next();
      assert(done === true, 'what is encoded in one go is complete');
      this.#late.set(writer.name, [...late, { batchNo: BigInt(batchNo), bytes: value }]);
      return;
    }
    this.#late.delete(writer.name);
    for (const checkpoint of checkpoints) this.#row(checkpoint);
  }

  #applyLate(writer: string): void {
    for (const checkpoint of latestOf(this.#late.get(writer) ?? [])) this.#row(checkpoint);
    this.#late.delete(writer);
  }

  #row({ due, heldBefore = 0, ...checkpoint }: Checkpoint): void {
    if (this.#deletedRuns.has(checkpoint.runId)) return;
    this.put({ ...checkpoint, spans: NO_SPANS, ...(heldBefore > 0 && { heldBefore }) });
  }
}

function added(sums: DueDelta[], { month, outcome, updates }: DueDelta): DueDelta[] {
  const same = sums.find((sum) => sum.month === month && sum.outcome === outcome);
  const rest = sums.filter((sum) => sum !== same);
  return [...rest, { month, outcome, updates: updates + (same?.updates ?? 0) }];
}
