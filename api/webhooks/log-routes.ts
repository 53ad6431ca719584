// Routes for an endpoint's delivery log.

import { ApiError } from '#api/http/api-error.ts';
import { bearerOperation, type Operation, reply } from '#api/http/operation.ts';
import type { Clock } from '#engine/base/clock.ts';
import { isId, logNumber } from '#engine/base/ids.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { LogDetail, LogPage, LogQuery } from '#schemas/http/deliveries.ts';
import type { DeliveryLogStore, LogSlice } from './delivery-log-store.ts';
import { writeCursor } from './log-cursor.ts';
import { LogEntries } from './log-entry.ts';
import { readLogQuery, selectLog } from './log-filter.ts';
import { shownSince } from './log-window.ts';
import { LoggedBodies, type LoggedBodiesParts } from './logged-bodies.ts';
import { loggedRequest } from './logged-request.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface LogParts extends LoggedBodiesParts {
  readonly store: Pick<WebhookStore, 'findAll'>;
  readonly log: DeliveryLogStore;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly headerPrefix: string;
  /** How long entries of the log are shown. */
  readonly logRetentionDays: number;
}

const LOGS_DEFAULT = 50;
const NOTHING: LogSlice = { attempts: [], examinedTo: null };

export function logRoutes(parts: LogParts): { readonly list: Operation; readonly get: Operation } {
  const { store, log, secretBox, clock, headerPrefix, logRetentionDays } = parts;
  const bodies = new LoggedBodies(parts);
  /** The endpoint's number, and from when its entries are shown. Also of a deleted endpoint. */
  const ownedLog = async (accountId: string, webhookId: string): Promise<{ webhookNo: number; since: Date }> => {
    const owner = isId('wh', webhookId) ? await log.owner(accountId, webhookId) : null;
    const since = owner === null ? null : shownSince(owner.deletedAt, clock.wallMs(), logRetentionDays);
    if (owner === null || since === null)
      throw new ApiError('not_found', 'There is no such webhook endpoint: GET /v1/webhooks lists yours.');
    return { webhookNo: owner.webhookNo, since };
  };

  return {
    list: bearerOperation(
      { summary: 'Read the delivery log of an endpoint', query: LogQuery, answer: LogPage, takesTurns: true },
      async ({ params, query, caller: { accountId } }) => {
        const wanted = readLogQuery(query);
        const webhookId = params.webhookId!;
        const { webhookNo, since } = await ownedLog(accountId, webhookId);
        const selection = await selectLog(
          log,
          { accountId, webhookId },
          query,
          wanted,
          since,
          new Date(clock.wallMs()),
        );
        const limit = query.limit ?? LOGS_DEFAULT;
        // One extra entry shows whether there is a next page.
        const { attempts, examinedTo } =
          selection === null
            ? NOTHING
            : await log.page(webhookNo, selection.span, selection.filter, wanted.before, limit + 1);
        const page = attempts.slice(0, limit);
        const lastNo = attempts.length > limit ? page.at(-1)!.logNo : examinedTo;
        const entries = new LogEntries(webhookId, headerPrefix);
        const shown = page.map((attempt) => entries.shown(attempt));
        // Among tests, the whole id decides.
        const logs = shown.filter(({ deliveryId }) => query.delivery === undefined || deliveryId === query.delivery);
        return reply({ data: { logs, nextCursor: lastNo === null ? null : writeCursor(lastNo) } });
      },
    ),

    get: bearerOperation(
      {
        summary: 'Read one entry of the delivery log, with the request as it was sent',
        answer: LogDetail,
        takesTurns: true,
      },
      async ({ params, caller: { accountId } }) => {
        const webhookId = params.webhookId!;
        const { webhookNo, since } = await ownedLog(accountId, webhookId);
        const logNo = logNumber(params.logId!);
        const attempt = logNo === null ? null : await log.find(webhookNo, since, logNo);
        const [endpoint] = attempt === null ? [] : await store.findAll([webhookId]);
        if (attempt === null || endpoint === undefined)
          throw new ApiError('not_found', 'The delivery log of this endpoint has no such entry.');
        const entries = new LogEntries(webhookId, headerPrefix);
        const { statusCode, responseBody } = attempt;
        const response = statusCode === null ? null : { statusCode, body: responseBody ?? '' };
        const { request, notes } = loggedRequest(
          attempt,
          endpoint,
          entries.headersOf(attempt),
          await bodies.of(attempt),
          secretBox,
        );
        return reply({ data: { ...entries.shown(attempt), request, response, notes: [...notes] } });
      },
    ),
  };
}
