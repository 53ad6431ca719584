// Sessions that can be replayed, their preparation, and the account's quota.

import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import { pageOf } from '#api/http/page.ts';
import type { PlaybackLibrary, Preparation } from '#engine/intake/playback/playback-library.ts';
import { pageQuery } from '#schemas/http/page.ts';
import { PreparationAnswer, PrepareRequest, QuotaAnswer, SessionList, StatusQuery } from '#schemas/http/sessions.ts';
import type { SessionAccess } from './session-access.ts';
import type { SessionRecord, SessionStore } from './session-store.ts';

type SessionOperation = 'list' | 'quota' | 'prepare' | 'status';

export function sessionRoutes(
  store: SessionStore,
  access: SessionAccess,
  library: PlaybackLibrary,
): Readonly<Record<SessionOperation, Operation>> {
  return {
    list: bearerOperation(
      { summary: 'List the sessions that can be replayed', query: pageQuery(100), answer: SessionList },
      async ({ query, caller }) => {
        const { limit, offset } = pageOf(query);
        const [listed, total] = await Promise.all([store.list(caller.accountId, limit, offset), store.count()]);
        const preparations = await library.statuses(listed.map(({ sessionId }) => sessionId));
        const sessions = listed.map(({ startAt, durationMs, unlocked, ...session }, place) => ({
          ...session,
          startDate: startAt.toISOString(),
          durationSeconds: Math.round(durationMs / 1_000),
          unlocked: unlocked || session.demo,
          prepared: preparations[place]!.status === 'ready',
        }));
        return reply({ data: { sessions, total, limit, offset } });
      },
    ),

    quota: bearerOperation({ summary: 'Read the simulate quota', answer: QuotaAnswer }, async ({ caller }) =>
      reply(await access.quota(caller)),
    ),

    prepare: bearerOperation(
      {
        summary: 'Prepare a session for replays',
        body: PrepareRequest,
        answer: PreparationAnswer,
        statuses: [202],
        refuses: ['not_found', 'out_of_season'],
      },
      async ({ body, caller }) => {
        const session = await access.findInSeason(body.sessionId, caller);
        return reply({ data: shown(session, await library.prepare(session.sessionId, caller.accountId)) }, 202);
      },
    ),

    status: bearerOperation(
      {
        summary: 'Read the progress of the preparation of a session',
        query: StatusQuery,
        answer: PreparationAnswer,
        refuses: ['not_found'],
      },
      async ({ query }) => {
        const session = await access.find(query.session);
        return reply({ data: shown(session, await library.status(session.sessionId)) });
      },
    ),
  };
}

function shown({ sessionId, updateCount }: SessionRecord, preparation: Preparation) {
  const { status } = preparation;
  switch (status) {
    case 'ready':
      return { sessionId, status, progress: 1, updateCount: preparation.updateCount };
    case 'preparing':
      return { sessionId, status, progress: preparation.progress, updateCount };
    default:
      return { sessionId, status, progress: 0, updateCount };
  }
}
