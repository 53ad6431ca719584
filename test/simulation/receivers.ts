// Receivers with tempers. How one reacts to an attempt depends on the seed, the endpoint, the update, the attempt and
// the time, never on how many requests came before.

import { DEADLINE_MS } from '#engine/base/limits.ts';
import { chanceOf } from './chance.ts';
import type { Temper } from './scenario.ts';

export type Reaction =
  | { readonly kind: 'answer'; readonly status: number; readonly afterMs: number }
  /** The connection breaks. The receiver may or may not have handled the request. */
  | { readonly kind: 'break'; readonly error: string; readonly afterMs: number }
  | { readonly kind: 'hang' }
  /** The transport throws, as a defect of ours might. */
  | { readonly kind: 'throw' };

export interface Asked {
  readonly seed: number;
  readonly endpoint: string;
  readonly sequence: number;
  readonly attempt: number;
  readonly atMs: number;
  /** How often this same attempt was started before. */
  readonly before: number;
}

/** The length of the phases of a flapping receiver. Each phase is good or bad. */
const PHASE_MS_MIN = 2_000;
const PHASE_MS_MAX = 9_000;
/** The latest start of an outage, and its length. */
const OUTAGE_FROM_MS_MAX = 3_000;
const OUTAGE_MS_MIN = 3_000;
const OUTAGE_MS_MAX = 8_000;

export function react(temper: Temper, asked: Asked): Reaction {
  const { seed, endpoint, sequence, attempt, atMs, before } = asked;
  const roll = (what: string): number => chanceOf(seed, 'receiver', endpoint, sequence, attempt, before, what);
  const answer = (status: number, fromMs: number, toMs: number): Reaction => ({
    kind: 'answer',
    status,
    afterMs: fromMs + (toMs - fromMs) * roll('time'),
  });
  const broken = (error: string, afterMs: number): Reaction => ({ kind: 'break', error, afterMs });
  switch (temper) {
    case 'fast':
      return answer(200, 1, 8);
    case 'slow':
      return answer(200, 300, 4_000);
    case 'flapping': {
      const phaseMs = PHASE_MS_MIN + (PHASE_MS_MAX - PHASE_MS_MIN) * chanceOf(seed, 'phases', endpoint);
      const isGood = chanceOf(seed, 'phase', endpoint, Math.floor(atMs / phaseMs)) < 0.5;
      return isGood ? answer(204, 2, 30) : answer(500, 2, 30);
    }
    case 'outage': {
      const fromMs = OUTAGE_FROM_MS_MAX * chanceOf(seed, 'outage', endpoint);
      const forMs = OUTAGE_MS_MIN + (OUTAGE_MS_MAX - OUTAGE_MS_MIN) * chanceOf(seed, 'outage lasts', endpoint);
      const isOut = atMs >= fromMs && atMs < fromMs + forMs;
      return isOut ? broken('ECONNREFUSED', 1 + roll('time')) : answer(200, 1, 30);
    }
    case 'dead':
      return broken('ECONNREFUSED', 1);
    case 'hang':
      return { kind: 'hang' };
    case 'late':
      return roll('late') < 0.5 ? answer(200, DEADLINE_MS + 50, DEADLINE_MS + 9_000) : answer(200, 5, 50);
    case 'reset':
      return roll('reset') < 0.4 ? broken('ECONNRESET', 5 + 50 * roll('time')) : answer(201, 2, 20);
    case 'gone':
      return answer(410, 2, 20);
    case 'busy':
      return roll('busy') < 0.6 ? answer(429, 2, 20) : answer(200, 2, 20);
    case 'unavailable':
      return roll('unavailable') < 0.6 ? answer(503, 2, 20) : answer(200, 2, 20);
    case 'redirect':
      return answer(roll('status') < 0.5 ? 301 : 307, 2, 20);
    case 'moody':
      return moody(roll('mood'), answer, broken);
    case 'defect':
      return roll('defect') < 0.02 ? { kind: 'throw' } : answer(200, 2, 20);
    case 'broken':
      return roll('defect') < 0.5 ? { kind: 'throw' } : answer(200, 2, 20);
  }
}

function moody(
  mood: number,
  answer: (status: number, fromMs: number, toMs: number) => Reaction,
  broken: (error: string, afterMs: number) => Reaction,
): Reaction {
  if (mood < 0.55) return answer(200, 1, 40);
  if (mood < 0.65) return answer(200, 100, 2_000);
  if (mood < 0.8) return answer(500, 1, 300);
  if (mood < 0.85) return answer(429, 1, 30);
  if (mood < 0.92) return broken('ECONNRESET', 20);
  if (mood < 0.96) return answer(200, DEADLINE_MS + 50, DEADLINE_MS + 5_000);
  return { kind: 'hang' };
}
