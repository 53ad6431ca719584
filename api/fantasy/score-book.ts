// Fantasy scores and pit lane times from the best available source: the official result in the race history, else the
// session's recording, or, while the session is live, its current order.
//
// A session counts as live until it is over and its recording is in the catalogue. Points that are decided only at the
// end appear when it ends. They stay provisional until then, because results may still be corrected.

import type { Static } from 'typebox';
import { ApiError } from '#api/http/api-error.ts';
import type { LiveOutcomes } from '#api/outcomes/live-outcomes.ts';
import type { RecordedOutcomes } from '#api/outcomes/recorded-outcomes.ts';
import type { SessionOutcome } from '#engine/racing/outcome/session-outcome.ts';
import type { SessionPhase } from '#engine/racing/session/session-phase.ts';
import { isScorable, outcomeScores, runningScores } from '#engine/seasons/fantasy/outcome-scores.ts';
import { historicalPitTimes, outcomePitTimes, type PitTime } from '#engine/seasons/fantasy/pit-times.ts';
import { raceScores } from '#engine/seasons/fantasy/race-scores.ts';
import { HISTORY_ATTRIBUTION } from '#engine/seasons/history/history.ts';
import type { NamedWeekend } from '#engine/seasons/history/history-store.ts';
import type { FantasyRules } from '#schemas/fantasy/fantasy-rules.ts';
import type { LiveScores, PitTimes, RaceScores } from '#schemas/http/fantasy.ts';
import { isRaceId, type ScoredSession, scoredSession, sessionIdOfScored } from './scored-session.ts';
import type { WeekendCache } from './weekend-cache.ts';

type RaceAnswer = Static<typeof RaceScores>['data'];
type LiveAnswer = Static<typeof LiveScores>['data'];
type PitAnswer = Static<typeof PitTimes>['data'];

export interface ScoreBookParts {
  readonly rules: FantasyRules;
  readonly weekends: Pick<WeekendCache, 'of'>;
  readonly live: Pick<LiveOutcomes, 'of'>;
  readonly recorded: Pick<RecordedOutcomes, 'of'>;
  /** The phase of a session that the service follows live, scored or not; null for others. */
  readonly phaseOf: (sessionId: string) => SessionPhase | null;
}

const BY_TIMING = 'Based on the timing: penalties and disqualifications after the flag are missing.';
const BY_GRID = 'Qualifying is not recorded: qualifying points are based on the starting grid.';
const SCORED = 'Only races and sprints are scored; their ids look like 2018-azerbaijan-race and 2025-miami-sprint';
const MISSING = 'its result has not reached this service';

export class ScoreBook {
  readonly #parts: ScoreBookParts;

  constructor(parts: ScoreBookParts) {
    this.#parts = parts;
  }

  /** Rejects with `not_available`, and says why, if there are no scores. */
  async race(session: ScoredSession): Promise<RaceAnswer> {
    const { raceId, sessionType } = session;
    if (!isRaceId(raceId)) {
      throw new ApiError('not_available', 'There is no such race: ids are year and place, like 2018-azerbaijan.');
    }
    const named = await this.#parts.weekends.of(raceId);
    const answer = await this.#final(session, named);
    if (answer === null) throw new ApiError('not_available', this.#missing(session, named));
    return { raceId, sessionType, ...answer };
  }

  async live(sessionId: string): Promise<LiveAnswer> {
    const { rules, live, phaseOf } = this.#parts;
    const session = scoredSession(sessionId);
    const outcome = live.of(sessionId);
    const answer = (rest: Partial<LiveAnswer>): LiveAnswer => ({
      sessionId,
      live: false,
      provisional: false,
      currentLap: null,
      totalLaps: null,
      rules: rules.id,
      estimate: true,
      scores: [],
      message: null,
      ...rest,
    });
    if (outcome === null) {
      if (phaseOf(sessionId) !== 'live') return answer({ message: await this.#whereFinal(session) });
      return answer({ live: true, message: 'The timing of this session does not provide what scores need.' });
    }
    if (outcome.phase === 'upcoming') return answer({ message: 'This session has not started.' });
    const { currentLap, totalLaps } = outcome;
    const going = { live: true, currentLap, totalLaps };
    if (session === null) return answer({ ...going, message: `${SCORED}.` });
    if (!isScorable(outcome))
      return answer({ ...going, message: 'The timing does not show the order of the cars yet.' });
    if (outcome.phase === 'finished')
      return answer({ ...going, provisional: true, ...(await this.#ended(session, outcome)) });
    return answer({
      ...going,
      provisional: true,
      scores: [...runningScores(rules, outcome, session.sessionType)],
    });
  }

  /** Rejects with `not_available`, and says why, if there are no times. */
  async pitTimes(sessionId: string): Promise<PitAnswer> {
    const going = this.#parts.live.of(sessionId);
    if (going !== null && going.phase !== 'upcoming') {
      return pitAnswer(sessionId, 'live', outcomePitTimes(going), null);
    }
    const session = scoredSession(sessionId);
    const named = session?.sessionType === 'grand_prix' ? await this.#parts.weekends.of(session.raceId) : null;
    if (named !== null && named.weekend.results.length > 0) {
      return pitAnswer(sessionId, 'historical', historicalPitTimes(named), HISTORY_ATTRIBUTION);
    }
    const recorded = await this.#recorded(sessionId);
    if (recorded !== null) return pitAnswer(sessionId, 'historical', outcomePitTimes(recorded), null);
    if (going !== null) throw new ApiError('not_available', 'This session has not started.');
    const sprint = session?.sessionType === 'sprint' ? ' Pit stops of sprints come only from recordings.' : '';
    throw new ApiError(
      'not_available',
      `There are no pit lane times for this session: it has not been held, is not recorded, or ${MISSING}.${sprint}`,
    );
  }

  async #final(
    session: ScoredSession,
    named: NamedWeekend | null,
  ): Promise<Omit<RaceAnswer, 'raceId' | 'sessionType'> | null> {
    const { rules } = this.#parts;
    const official = named === null ? [] : raceScores(rules, named, session.sessionType);
    if (official.length > 0) {
      return {
        rules: rules.id,
        estimate: true,
        source: 'history',
        scores: [...official],
        message: null,
        attribution: HISTORY_ATTRIBUTION,
      };
    }
    const outcome = await this.#recorded(sessionIdOfScored(session));
    if (outcome === null || outcome.phase !== 'finished' || !isScorable(outcome)) return null;
    const ended = await this.#ended(session, outcome);
    return { rules: rules.id, estimate: true, source: 'recording', ...ended, attribution: null };
  }

  async #ended(session: ScoredSession, outcome: SessionOutcome): Promise<Pick<RaceAnswer, 'scores' | 'message'>> {
    const { raceId, sessionType } = session;
    const isSprint = sessionType === 'sprint';
    const held = isSprint ? null : await this.#recorded(`${raceId}-qualifying`);
    const qualifying = held?.phase === 'finished' && isScorable(held) ? held : null;
    const scores = [...outcomeScores(this.#parts.rules, outcome, qualifying, sessionType)];
    return { scores, message: isSprint || qualifying !== null ? BY_TIMING : `${BY_TIMING} ${BY_GRID}` };
  }

  async #recorded(sessionId: string): Promise<SessionOutcome | null> {
    const outcome = await this.#parts.recorded.of(sessionId);
    if (outcome === 'busy') {
      throw new ApiError('unavailable', 'Too many recordings are being read: try again shortly.', {
        'retry-after': '5',
      });
    }
    return outcome;
  }

  async #whereFinal(session: ScoredSession | null): Promise<string> {
    if (session === null) return `This session is not live. ${SCORED}.`;
    const { raceId, sessionType } = session;
    const final = await this.#final(session, await this.#parts.weekends.of(raceId));
    const query = sessionType === 'sprint' ? '?session=sprint' : '';
    return final === null
      ? 'This session is not live.'
      : `This session is not live: GET /v1/fantasy/races/${raceId}/scores${query} has its scores.`;
  }

  #missing(session: ScoredSession, named: NamedWeekend | null): string {
    const sessionId = sessionIdOfScored(session);
    const going = this.#parts.live.of(sessionId);
    if (going !== null && going.phase !== 'upcoming') {
      return `This session is live: GET /v1/fantasy/session/${sessionId}/scores has its provisional scores.`;
    }
    if (named === null) return `The race history does not have ${session.raceId}.`;
    const { name, season, hasSprint } = named.weekend;
    if (session.sessionType === 'sprint' && !hasSprint) return `The ${name} of ${season} has no sprint.`;
    return `There is no result for ${sessionId} yet: it has not been held, or ${MISSING}.`;
  }
}

function pitAnswer(
  sessionId: string,
  source: PitAnswer['source'],
  stops: readonly PitTime[],
  attribution: string | null,
): PitAnswer {
  return { sessionId, source, fastestStop: stops[0] ?? null, stops: [...stops], attribution };
}
