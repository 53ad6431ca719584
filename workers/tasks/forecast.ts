// A task for a long-lived thread: forecasts of race weekends. The fitted models are cached between questions, until a
// question refers to another release of the history.

import { isDatabaseOutage } from '#api/http/database-outage.ts';
import { FittedForecasts } from '#api/previews/fitted-forecasts.ts';
import type { PreviewQuestion } from '#api/previews/forecasts.ts';
import { readImportedHistory } from '#api/previews/imported-history.ts';
import type { WeekendPreview } from '#api/previews/weekend-preview.ts';
import { systemClock } from '#engine/base/clock.ts';
import type { KnownBefore } from '#engine/racing/session/known-before.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { connect } from '#engine/storage/postgres-client.ts';

export interface ForecastJob {
  readonly connection: ConnectionSettings;
  /** A preview, or the id of an event whose drivers' strengths are asked for. */
  readonly question: PreviewQuestion | string;
}

let forecasts: FittedForecasts | null = null;

/** `database_away` is a value and not an error, because an error loses its code on the way to another thread. */
export type ForecastResult = WeekendPreview | KnownBefore | 'database_away' | null;

export async function forecast({ connection, question }: ForecastJob): Promise<ForecastResult> {
  forecasts ??= new FittedForecasts(async () => {
    // Releases change a few times a month at most, so the connection is not kept open.
    const sql = connect(connection, { max: 1, name: 'slipstream-forecast', clock: systemClock });
    try {
      return await readImportedHistory(new PostgresHistoryStore(sql));
    } finally {
      await sql.end();
    }
  });
  try {
    return await (typeof question === 'string' ? forecasts.strengths(question) : forecasts.of(question));
  } catch (error) {
    if (isDatabaseOutage(error)) return 'database_away';
    throw error;
  }
}
