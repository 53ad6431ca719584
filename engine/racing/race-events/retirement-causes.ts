// Why a car retired, as far as race control says it before the event:
// - collision: an incident that involved the car, with a collision as the reason;
// - incident: an incident that involved the car, without a reason, or because someone was forced off the track;
// - stopped: race control says where the car stopped, and no more.
//
// A report counts from three minutes before the car stopped. What the stewards say later about the same incident is no
// new report, so an old collision explains no later defect. Other incidents, such as speeding, stop no car.

import { type JsonObject, textOf } from '#engine/base/json-value.ts';
import { INCIDENTS_OF_CAR_MAX, RACE_CONTROL_TEXT_CHARS_MAX } from '#engine/base/limits.ts';
import type { RetirementCause } from '#schemas/webhook/race-event-details.ts';
import { raceControlEventOf } from './race-control-text.ts';
import type { MergedFrame } from './race-event-rule.ts';
import { recentRaceControl } from './recent-race-control.ts';

/** How long before a car stops race control may report the reason. */
const CAUSE_EARLY_MS = 180_000;

const STOPPED = /^CAR (\d{1,3}) \(\w+\) STOPPED\b(?:.*\bTURN (\d{1,2})\b)?/;

/** The strongest first. */
const KINDS = ['collision', 'incident', 'stopped'] as const;

interface Report {
  readonly kind: RetirementCause['kind'];
  readonly turn: number | null;
  /** All cars involved. */
  readonly numbers: readonly string[];
  readonly message: string;
  readonly utcMs: number;
}

export class RetirementCauses {
  /** By racing number, the reports about the car, oldest first. */
  readonly #reports = new Map<string, Report[]>();

  note(frame: MergedFrame): void {
    for (const message of recentRaceControl(frame)) {
      const report = reportOf(message, frame.utcMs);
      if (report === null) continue;
      for (const number of report.numbers) this.#noteAbout(number, report);
    }
  }

  /** Returns the cause of a retirement; `stoppedUtcMs` is when the car stopped. Null if race control gives none. */
  causeOf(number: string, stoppedUtcMs: number): RetirementCause | null {
    const recent = this.#reports.get(number)?.filter(({ utcMs }) => utcMs >= stoppedUtcMs - CAUSE_EARLY_MS) ?? [];
    for (const kind of KINDS) {
      const report = recent.findLast((one) => one.kind === kind);
      if (report === undefined) continue;
      const { turn, numbers, message } = report;
      return { kind, turn, otherNumbers: numbers.filter((other) => other !== number), message };
    }
    return null;
  }

  #noteAbout(number: string, report: Report): void {
    const reports = this.#reports.get(number) ?? [];
    const known = reports.findIndex((one) => isSameIncident(one, report));
    if (known === -1) this.#reports.set(number, [...reports, report].slice(-INCIDENTS_OF_CAR_MAX));
    // The reason may come later. The time remains that of the first report.
    else if (report.kind === 'collision') reports[known] = { ...report, utcMs: reports[known]!.utcMs };
  }
}

function isSameIncident(one: Report, other: Report): boolean {
  if ((one.kind === 'stopped') !== (other.kind === 'stopped')) return false;
  return one.turn === other.turn && one.numbers.join() === other.numbers.join();
}

function reportOf(message: JsonObject, utcMs: number): Report | null {
  const text = textOf(message.Message)?.trim() ?? '';
  if (text.length > RACE_CONTROL_TEXT_CHARS_MAX) return null;
  const stopped = STOPPED.exec(text);
  if (stopped !== null) {
    const [, number, turn] = stopped;
    return {
      kind: 'stopped',
      turn: turn === undefined ? null : Number(turn),
      numbers: [number!],
      message: text,
      utcMs,
    };
  }
  const event = raceControlEventOf(message);
  if (event?.type !== 'investigation') return null;
  const { reason, turn } = event.data;
  const kind = kindOf(reason);
  return kind === null ? null : { kind, turn: turn ?? null, numbers: event.numbers, message: text, utcMs };
}

function kindOf(reason: string | undefined): 'collision' | 'incident' | null {
  if (reason === undefined || /\bFORCING\b.*\bOFF\b/.test(reason)) return 'incident';
  return /\bCOLLISION\b/.test(reason) ? 'collision' : null;
}
