// Defects that the simulation must find. Each is a small change to the engine's code, or to what the store in memory does
// in place of the one on PostgreSQL. If the quoted code no longer exists, the test fails, so no defect gets lost when the
// engine changes.

export interface Mutation {
  /** What the broken engine does, as a sentence. */
  readonly defect: string;
  /** One that is known to find it: it is tried first. */
  readonly seed?: number;
  readonly file: string;
  /** Each text must occur exactly once. */
  readonly edits: readonly (readonly [text: string, instead: string])[];
}

const ACTOR = 'engine/delivery/endpoint/endpoint-actor.ts';
const AUDIENCES = 'engine/delivery/filter/audiences.ts';
const SHARD = 'engine/delivery/shard/shard.ts';
const AGENDA = 'engine/delivery/shard/run-agenda.ts';
const ROUTER = 'engine/delivery/cluster/shard-router.ts';
const RECORDER = 'engine/delivery/delivery-log/recorder.ts';
const ROUNDS = 'engine/delivery/delivery-log/late-rounds.ts';
const CONNECTIONS = 'engine/delivery/transport/http-connections.ts';
const UNRECORDED = 'engine/delivery/delivery-log/unrecorded-batches.ts';
const PAGES = 'engine/delivery/delivery-log/log-page.ts';
const STORE = 'test/support/memory-record-store.ts';
const JOURNALLED = 'engine/intake/live/journalled-timeline.ts';

export const MUTATIONS: readonly Mutation[] = [
  {
    defect: 'attempts follow one another without a delay',
    seed: 1,
    file: 'engine/delivery/endpoint/retry-schedule.ts',
    edits: [['RETRY_DELAYS_MS[attemptsMade]! :', 'RETRY_DELAYS_MS[0]! :']],
  },
  {
    defect: 'a timer fires up to a tick early',
    seed: 1,
    file: 'engine/base/timer-wheel.ts',
    edits: [['Math.max(Math.ceil(dueMs / TIMER_TICK_MS)', 'Math.max(Math.floor(dueMs / TIMER_TICK_MS)']],
  },
  {
    defect: 'a checkpoint is that of the batch before',
    file: ACTOR,
    edits: [
      [
        '    const now = this.#checkpointNow();\n    assert(addsUp(now)',
        '    const now = this.#checkpointNow();\n    const before = this.#last;\n    this.#last = now;\n    return before;\n    assert(addsUp(now)',
      ],
    ],
  },
  {
    defect: 'a checkpoint omits pending updates',
    seed: 1,
    file: ACTOR,
    edits: [[': this.#unsettled.map(pendingUpdate),', ': NOTHING_PENDING,']],
  },
  {
    defect: 'a checkpoint omits the updates in the mailbox',
    seed: 1,
    file: ACTOR,
    edits: [['nextPosition: this.#mailbox.peek() ?? this.#next', 'nextPosition: this.#next']],
  },
  {
    defect: 'an endpoint resumes one update too late',
    file: ACTOR,
    edits: [['this.#next = from.nextPosition;', 'this.#next = from.nextPosition === 0 ? 0 : from.nextPosition + 1;']],
  },
  {
    defect: 'an actor that failed resumes from the checkpoint before the present one',
    seed: 22,
    file: ACTOR,
    edits: [['    if (now !== null && addsUp(now)) return now;\n', '']],
  },
  {
    defect: 'attempts made before a crash are forgotten',
    seed: 1,
    file: ACTOR,
    edits: [['this.#track(pending.position, pending.attemptsMade)', 'this.#track(pending.position, 0)']],
  },
  {
    defect: 'a response after the deadline counts',
    seed: 3,
    file: 'engine/delivery/endpoint/delivery.ts',
    edits: [["if (this.#state.kind === 'sending') this.#supervisor", 'this.#supervisor']],
  },
  {
    defect: 'an attempt has no deadline',
    seed: 1,
    file: 'engine/delivery/endpoint/attempt.ts',
    edits: [['  host.wheel.start(delivery.timer, nowMs + DEADLINE_MS);\n', '']],
  },
  {
    defect: 'the breaker lets everything through',
    seed: 6,
    file: 'engine/delivery/endpoint/breaker.ts',
    edits: [['state.failures >= BREAKER_FAILURES', 'state.failures >= Number.POSITIVE_INFINITY']],
  },
  {
    defect: 'a full mailbox is still fed',
    seed: 3,
    file: ACTOR,
    edits: [['this.#next < due && !this.#mailbox.full', 'this.#next < due']],
  },
  {
    defect: 'an answered attempt keeps its slot',
    file: ACTOR,
    edits: [
      [
        "    if (slot === 'first') this.#firstInFlight--;\n    else this.#retriesInFlight--;\n    assert(",
        '    assert(',
      ],
    ],
  },
  {
    defect: 'an endpoint has as many attempts under way as there are updates',
    seed: 3,
    file: ACTOR,
    edits: [['if (held >= slots) {', 'if (held < 0) {']],
  },
  {
    defect: 'filters that changed apply to new updates only',
    seed: 30,
    file: ACTOR,
    edits: [
      ["if (position < this.#rematchBefore && !this.#audience!.filter.matches(position)) return 'filtered';", ''],
    ],
  },
  {
    defect: 'an update that falls due gives nobody a turn',
    seed: 32,
    file: AUDIENCES,
    edits: [['audience.actors.forEach(ready);', 'continue;']],
  },
  {
    defect: 'an actor skips updates that its audience got',
    file: AUDIENCES,
    edits: [['if (position >= this.#unmatchedFrom) return', 'return']],
  },
  {
    defect: 'an actor skips from a wrong place up to the update that its audience got',
    file: AUDIENCES,
    edits: [['this.#quietUntil = first;', 'this.#quietUntil = first + 1;']],
  },
  {
    defect: 'no actor takes a turn when its run ends',
    seed: 5,
    file: SHARD,
    edits: [['if (run.due >= run.end) actors.forEach(this.#toTurn);\n    else ', '']],
  },
  {
    defect: 'a paused endpoint gets the updates in its mailbox',
    seed: 6,
    file: ACTOR,
    edits: [["    if (!this.endpoint.settings.active) return 'paused';\n", '']],
  },
  {
    defect: 'signatures always use the first secret',
    seed: 9,
    file: 'engine/delivery/endpoint/endpoint-state.ts',
    edits: [['    this.#replayOnly = replayOnly;\n    this.#signer = null;\n', '    this.#replayOnly = replayOnly;\n']],
  },
  {
    defect: 'failed attempts count as succeeded in usage',
    seed: 1,
    file: 'engine/delivery/usage/usage-ledger.ts',
    edits: [['deliveredAfterMs === null ? FAILED : SUCCEEDED', 'SUCCEEDED']],
  },
  {
    defect: 'an attempt that ends on the next day counts there',
    seed: 4,
    file: RECORDER,
    edits: [['if (isIn(this.#day, record.createdAtMs)) ledger.attempt', 'if (this.#day !== null) ledger.attempt']],
  },
  {
    defect: 'a batch whose confirmation was lost is sent again under a new number',
    file: RECORDER,
    edits: [
      [
        'this.#parts.store.commit(batch)',
        'this.#parts.store.commit({ ...batch, batchNo: batch.batchNo + this.#failures })',
      ],
    ],
  },
  {
    defect: 'a shard reads checkpoints before its predecessor is fenced off',
    seed: 22,
    file: SHARD,
    edits: [
      [
        'this.recorder.takeOver().then(() => this.#parts.store.checkpoints(',
        'Promise.resolve().then(() => this.#parts.store.checkpoints(',
      ],
    ],
  },
  {
    defect: 'a run is reported as settled before it is recorded',
    file: SHARD,
    edits: [
      [
        "this.recorder.whenWritten(() => this.#parts.notify({ kind: 'run.settled', runId, joins }))",
        "this.#parts.notify({ kind: 'run.settled', runId, joins })",
      ],
    ],
  },
  {
    defect: 'SIGTERM does not wait for attempts in flight',
    seed: 1,
    file: SHARD,
    edits: [['    if (this.#slots.inFlight > 0) return;\n    this.#ending', '    this.#ending']],
  },
  {
    defect: 'the last attempts of a month are not limited',
    file: 'engine/delivery/usage/allowance.ts',
    edits: [
      ['if (limit !== UNLIMITED && used + attempts > limit) return false;', ''],
      ['return limit !== UNLIMITED && Atomics.load', 'return limit === 0 && Atomics.load'],
    ],
  },
  {
    defect: 'the count of a month is not loaded while the clock shows another one',
    seed: 61,
    file: 'api/usage/allowances.ts',
    edits: [
      [
        'for (const { month, attempts, demoAttempts = 0 } of months) {',
        'for (const { month, attempts, demoAttempts = 0 } of months) {\n          if (month !== monthOf(this.#clock.wallMs()).firstDay) continue;',
      ],
    ],
  },
  {
    defect: 'attempts of the demo session take from the month',
    seed: 29,
    file: 'api/usage/allowances.ts',
    edits: [['return held[purse].cell;', 'return held.month.cell;']],
  },
  {
    defect: 'attempts of the demo session count as others in usage',
    seed: 6,
    file: ACTOR,
    edits: [['      this.run.order.allFeeds,\n', '']],
  },
  {
    defect: 'a run is parked while attempts are under way',
    seed: 6,
    file: SHARD,
    edits: [['if (inFlight > 0) return;', 'if (inFlight < 0) return;']],
  },
  {
    defect: 'a run is parked without its last checkpoints',
    seed: 6,
    file: SHARD,
    edits: [
      [
        '      this.recorder.note(actor);\n      actor.abandon();',
        '      this.recorder.forget(actor);\n      actor.abandon();',
      ],
    ],
  },
  {
    defect: 'a run is reported as parked before its checkpoints are recorded',
    seed: 6,
    file: SHARD,
    edits: [
      [
        "this.recorder.whenWritten(() => this.#parts.notify({ kind: 'run.parked', runId }))",
        "this.#parts.notify({ kind: 'run.parked', runId })",
      ],
    ],
  },
  {
    defect: 'a stop does not reach the parts of a run that are parked already',
    seed: 230,
    file: ROUTER,
    edits: [['    for (const shard of run.parked) this.#handOver(run, shard, true);\n', '']],
  },
  {
    defect: 'a shard that restarts is not told that its run is being parked',
    seed: 67,
    file: ROUTER,
    edits: [
      [
        'const { order, timeline, stopping, parking } = run;',
        'const { order, timeline, stopping } = run, parking = false;',
      ],
    ],
  },
  {
    defect: 'an ordered run sends the next update while one waits for a retry',
    seed: 6,
    file: ACTOR,
    edits: [
      ['this.#unsettledMax = run.order.ordered === true ? 1 : RETRYING_MAX;', 'this.#unsettledMax = RETRYING_MAX;'],
    ],
  },
  {
    defect: 'a run is parked while the predecessor of its shard may still write',
    seed: 7074,
    file: SHARD,
    edits: [['        entry.outOfReach = true;\n', '']],
  },
  {
    defect: 'a parked actor still starts attempts',
    seed: 6,
    file: ACTOR,
    edits: [['if (this.#ended || this.#parking) return;', 'if (this.#ended) return;']],
  },
  {
    defect: 'a restarted shard does not learn which endpoints were deleted',
    seed: 13,
    file: ROUTER,
    edits: [['(run.deleted.has(webhookId) ? [webhookId] : [])', '(run.deleted.size > 1_000 ? [webhookId] : [])']],
  },
  {
    defect: 'a restarted shard does not learn that its run was stopped',
    seed: 28,
    file: ROUTER,
    edits: [['deleted, stopping, parking });', 'deleted, stopping: null, parking });']],
  },
  {
    defect: 'a run is not asked again when it has had its first updates',
    file: AGENDA,
    edits: [['if (nextMs !== Number.POSITIVE_INFINITY) this', 'if (run.due === 0) this']],
  },
  {
    defect: 'a run does not learn that its live session has ended',
    file: AGENDA,
    edits: [['if (length === followed.length && live.sealed === followed.sealed)', 'if (length === followed.length)']],
  },
  {
    defect: 'a restarted shard gets the settings from the start of the run',
    seed: 22,
    file: ROUTER,
    edits: [['if (endpoints.has(settings.webhookId)) endpoints.set(settings.webhookId, settings);', '{}']],
  },
  {
    defect: 'a request whose connection closes without a response goes out again, unrecorded',
    seed: 1,
    file: CONNECTIONS,
    edits: [
      [
        "    exchange.head = '';\n",
        `    const settle = exchange.settle.bind(exchange);
    exchange.settle = (result) => {
      if (result.code !== 'connection_closed') return settle(result);
      exchange.settle = settle;
      exchange.connection = null;
      this.#waiting.push(exchange);
      this.#open();
    };
`,
      ],
    ],
  },
  {
    defect: 'a connection that was idle takes a request although its end has arrived',
    seed: 63,
    file: CONNECTIONS,
    edits: [
      [
        '} else if (connection.responses === 1 || nowMs - connection.idleSinceMs >= IDLE_UNCHECKED_MS) {',
        '} else if (false) {',
      ],
    ],
  },
  {
    defect: 'a request that waits goes to a connection that is being closed',
    seed: 1,
    file: CONNECTIONS,
    edits: [['    if (place !== -1) this.#idle.splice(place, 1);\n', '']],
  },
  {
    defect: 'a shard that restarts does not get the endpoints that joined a live run',
    seed: 22,
    file: ROUTER,
    edits: [['    for (const settings of endpoints) run.endpoints.set(settings.webhookId, settings);\n', '']],
  },
  {
    defect: 'with an endpoint that joins a run all its other endpoints are sent again',
    seed: 22,
    file: ROUTER,
    edits: [['Map.groupBy(endpoints, ({ webhookId })', 'Map.groupBy(run.endpoints.values(), ({ webhookId })']],
  },
  {
    defect: 'an account keeps taking turns until none of its actors waits',
    seed: 16,
    file: 'engine/delivery/turns/ready-lanes.ts',
    edits: [['if (!queue.actors.isEmpty) round.add(queue);', 'if (!queue.actors.isEmpty) round.addFirst(queue);']],
  },
  {
    defect: 'an account takes all slots of a shard',
    seed: 32,
    file: 'engine/delivery/turns/slots.ts',
    edits: [['return held < SLOTS_PER_FREE_MAX * (this.#all - inFlight);', 'return inFlight < this.#all;']],
  },
  {
    defect: 'a stopping shard keeps nothing of what the database did not take',
    seed: 1,
    file: RECORDER,
    edits: [['this.#parts.keep(batches)', 'batches.length']],
  },
  {
    defect: 'a stopping shard does not keep the batch that may be under way',
    seed: 7,
    file: RECORDER,
    edits: [
      [
        'this.#cut.map(({ batch }) => batch);',
        'this.#cut.slice(1).map(({ batch }) => batch);\n    if (batches.length === 0) return ended(0);',
      ],
    ],
  },
  {
    defect: 'a start does not read what the last process has kept',
    seed: 1,
    file: UNRECORDED,
    edits: [
      ['for (const name of parts.files.names()) await', 'for (const name of parts.files.names().slice(1)) await'],
    ],
  },
  {
    defect: 'a start records a kept batch under another number',
    seed: 1,
    file: UNRECORDED,
    edits: [['await store.commit(batch)', 'await store.commit({ ...batch, batchNo: batch.batchNo + 1 })']],
  },
  {
    defect: 'a start removes the file before it has recorded it',
    seed: 1,
    file: UNRECORDED,
    edits: [
      [
        '  let obstacle: string | null = null;\n',
        '  let obstacle: string | null = null;\n  const bytes = files.read(name);\n  files.remove(name);\n',
      ],
      ['decodeBatches(files.read(name))', 'decodeBatches(bytes)'],
      ['  files.remove(name);\n  log.info', '  log.info'],
    ],
  },
  {
    defect: 'the file lacks the checkpoints',
    seed: 1,
    file: 'engine/delivery/delivery-log/unrecorded-format.ts',
    edits: [
      ['counts: [...delta.counts] })),\n    checkpoints,', 'counts: [...delta.counts] })),\n    checkpoints: [],'],
    ],
  },
  {
    defect: 'the file lacks the usage',
    seed: 1,
    file: 'engine/delivery/delivery-log/unrecorded-format.ts',
    edits: [
      [
        '    attempts: Array.from(attempts, rowOf),\n    usage,',
        '    attempts: Array.from(attempts, rowOf),\n    usage: [],',
      ],
    ],
  },
  {
    defect: 'a resumed replay plays what its session is for the present version',
    seed: 10,
    file: 'api/simulate/reopened-timeline.ts',
    edits: [
      ['timelineOrigin === null ? null : await library.openOrigin(sessionId, timelineOrigin)', 'await prepare()'],
      ['if (opened === null || isOf(run, opened)) return opened;', 'return opened;'],
    ],
  },
  {
    defect: 'a resumed live session derives again what it has published',
    seed: 10,
    file: JOURNALLED,
    edits: [['const restored = restore(timeline, file, recorded, parts);', 'const restored = null;']],
  },
  {
    defect: 'a resumed live session publishes again what its journal holds',
    seed: 1,
    file: JOURNALLED,
    edits: [['if (before.frames > 0) this.#gate.close();', '']],
  },
  {
    defect: 'a span that has grown is not recorded again',
    seed: 3,
    file: 'engine/delivery/endpoint/skipped-spans.ts',
    edits: [['    if (!open.changed) this.#add(open);\n', '']],
  },
  {
    defect: 'a resend sends again what has been delivered',
    seed: 15,
    file: 'engine/delivery/delivery-log/missed-updates.ts',
    edits: [['    for (const position of run.delivered) missed.delete(position);\n', '']],
  },
  {
    defect: 'a resend sends everything up to its last update',
    seed: 10,
    file: ACTOR,
    edits: [['(this.#selection === null || this.#selection.has(position))', '(this.#selection !== undefined)']],
  },
  {
    defect: 'a resend has delivery ids of its own',
    seed: 28,
    file: SHARD,
    edits: [['resend === undefined ? { runId, speed } : resend.of;', '({ runId, speed });']],
  },
  {
    defect: 'an endpoint gets no snapshots',
    seed: 30,
    file: ACTOR,
    edits: [['        if (this.#wantsSnapshots && refusal === null && !this.#hasBase(position)) return;\n', '']],
  },
  {
    defect: 'an update starts while a snapshot before it is unsettled',
    seed: 2,
    file: ACTOR,
    edits: [
      ['if (this.#dueFirst.length > 0 || this.#snapshots > 0) return;', 'if (this.#dueFirst.length > 0) return;'],
    ],
  },
  {
    defect: 'snapshots come after the first update',
    seed: 1,
    file: ACTOR,
    edits: [
      ['if (hasBegun || this.#mailbox.length > 0 || this', 'if (this.#delivered === 0 || hasBegun || this'],
      ['this.#unsettled.length > 0 || this.#delivered > 0 || this.#failed > 0 || missed > 0;', 'missed > 0;'],
    ],
  },
  {
    defect: 'snapshots that are pending are lost over a crash',
    seed: 67,
    file: ACTOR,
    edits: [
      [
        '.sort(inOrder)) this.#resume(pending);',
        '.sort(inOrder)) if (pending.position < SNAPSHOTS_FROM) this.#resume(pending);\n    this.#matched -= from.pending.length - this.#unsettled.length;',
      ],
    ],
  },
  {
    defect: 'a resumed endpoint gets snapshots again although deliveries have begun',
    seed: 1,
    file: ACTOR,
    edits: [
      [
        'const hasBegun = this.#unsettled.length > 0 || this.#delivered > 0 || this.#failed > 0 || missed > 0;',
        'const hasBegun = this.#unsettled.length > 0 || this.#snapshotsAt !== -1;',
      ],
    ],
  },
  {
    defect: 'snapshots hold the update that they precede',
    seed: 2,
    file: 'engine/timeline/snapshots.ts',
    edits: [['states.at(key, timeline, position, feedIds)', 'states.at(key, timeline, position + 1, feedIds)']],
  },
  {
    defect: 'snapshots pass every filter',
    seed: 2,
    file: 'engine/delivery/filter/compiled-filter.ts',
    edits: [
      ['if (!matcher.byPosition) return (lowPassing | highPassing) !== 0;', 'if (matcher.byDriver) return true;'],
    ],
  },
  {
    defect: 'snapshots that nobody makes are waited for',
    seed: 2,
    file: 'engine/delivery/endpoint/snapshot-shelf.ts',
    edits: [['if (nowMs < asked.againMs) continue;', 'if (nowMs < asked.againMs || nowMs > 0) continue;']],
  },
  {
    defect: 'an attempt that is repeated after a crash is counted as due once more',
    seed: 3,
    file: ACTOR,
    edits: [
      ['          this.#noteBegun(position);\n', ''],
      [
        '    if (delivery.attemptsMade === 0) {\n      this.#lagMs',
        '    if (delivery.attemptsMade === 0) {\n      this.#noteBegun(position);\n      this.#lagMs',
      ],
    ],
  },
  {
    defect: 'an actor that is restarted forgets which due updates it has not recorded',
    seed: 22,
    file: ACTOR,
    edits: [['from.due ?? NOTHING_DUE', 'NOTHING_DUE']],
  },
  {
    defect: 'what was due is recorded with every checkpoint anew',
    seed: 1,
    file: ACTOR,
    edits: [['    this.#punctuality?.written();\n', '']],
  },
  {
    defect: 'a replay starts for every endpoint of the account that its shard knows, chosen or not',
    seed: 122,
    file: SHARD,
    edits: [
      [
        'new Set(endpoints.flatMap((settings) => this.#endpoint(settings) ?? [])),',
        `new Set([
          ...endpoints.flatMap((settings) => this.#endpoint(settings) ?? []),
          ...(resumed || order.resend !== undefined || order.mode === 'live' ? [] : this.#endpoints.values()).filter(
            ({ settings }) => settings.accountId === order.accountId),
        ]),`,
      ],
    ],
  },
  {
    defect: 'what an earlier process has published is due when the next one begins',
    seed: 10,
    file: 'engine/delivery/run/live-run.ts',
    edits: [['return position < this.#live.restored;', 'return false;']],
  },
  {
    defect: 'folding loses what an endpoint has of a second day',
    file: PAGES,
    edits: [['{ attempts, offsets }] of days)', '{ attempts, offsets }] of [...days].slice(0, 1))']],
  },
  {
    defect: 'folding adds a page twice',
    file: PAGES,
    edits: [
      [
        'base, own);\n        from',
        'base, own);\n        yield pageOf(webhookNo, day * DAY_MS, base, own);\n        from',
      ],
    ],
  },
  {
    defect: 'rows that are folded stay in the journal',
    file: STORE,
    edits: [['    this.#journal.splice(0, rows.length);\n', '']],
  },
  {
    defect: 'a fold that is interrupted leaves its pages behind',
    seed: 1,
    file: STORE,
    edits: [
      [
        'if (pages.length === interruptedAfter) return;',
        'if (pages.length === interruptedAfter) return void this.#pages.push(...pages);',
      ],
    ],
  },
  {
    defect: 'late checkpoints are forgotten when the next epoch is admitted',
    seed: 3,
    file: STORE,
    edits: [
      [
        '{ epoch, batchNo: 0 });\n      this.#applyLate(name);',
        '{ epoch, batchNo: 0 });\n      this.#late.delete(name);',
      ],
    ],
  },
  {
    defect: 'late checkpoints are forgotten when the next process starts',
    seed: 29,
    file: STORE,
    edits: [
      [
        '{ epoch: INTEGER_MAX, batchNo: 0 });\n      this.#applyLate(name);',
        '{ epoch: INTEGER_MAX, batchNo: 0 });\n      this.#late.delete(name);',
      ],
    ],
  },
  {
    defect: 'late checkpoints are applied in the wrong order',
    seed: 86,
    file: 'engine/delivery/delivery-log/late-checkpoints.ts',
    edits: [['a.batchNo < b.batchNo ? 1 : -1', 'a.batchNo < b.batchNo ? -1 : 1']],
  },
  {
    defect: 'late checkpoints take the place of earlier ones of other endpoints',
    seed: 40,
    file: STORE,
    edits: [['(this.#late.get(writer.name) ?? []).filter(', '([] as LateCheckpoints[]).filter(']],
  },
  {
    defect: 'rows do not repeat what came late',
    seed: 5,
    file: ROUNDS,
    edits: [['    const checkpoints: Checkpoint[] = late.list();', '    const checkpoints: Checkpoint[] = [];']],
  },
  {
    defect: 'rows count what late checkpoints have decided once more',
    seed: 16,
    file: ROUNDS,
    edits: [['{ ...standing(checkpoints[i]!), spans: NO_SPANS }', '{ ...checkpoints[i]!, spans: NO_SPANS }']],
  },
  {
    defect: 'the first part of a round lets go of all that came late',
    seed: 80,
    file: ROUNDS,
    edits: [['upToBatchNo: 0 };', 'upToBatchNo: round.batchNo };']],
  },
  {
    defect: 'a round lets go of what came late since its beginning',
    seed: 223,
    file: ROUNDS,
    edits: [['upToBatchNo: round.batchNo };', 'upToBatchNo: batchNo };']],
  },
  {
    defect: 'a round writes checkpoints as they stood at its beginning',
    seed: 2,
    file: ROUNDS,
    edits: [
      [
        'checkpoints.push(this.#late.take(round.listed[round.place++]!)!);',
        'checkpoints.push(round.listed[round.place]!), this.#late.take(round.listed[round.place++]!);',
      ],
    ],
  },
  {
    defect: 'a run is settled or parked while its checkpoints are late',
    seed: 2,
    file: RECORDER,
    edits: [['this.#cutBatch(true);', 'this.#cutBatch();']],
  },
];
