// A task for a thread that is kept: forecasts of race weekends. The models stay fitted from one question to the next, until
// a question is of another release.

import { isDatabaseOutage } from '#api/http/database-outage.ts';
import { FittedForecasts } from '#api/previews/fitted-forecasts.ts';
import type { PreviewQuestion } from '#api/previews/forecasts.ts';
import { readImportedHistory } from '#api/previews/imported-history.ts';
import type { WeekendPreview } from '#api/previews/weekend-preview.ts';
import { systemClock } from '#engine/base/clock.ts';
import { PostgresHistoryStore } from '#engine/seasons/history/postgres-history-store.ts';
import type { ConnectionSettings } from '#engine/storage/connection-settings.ts';
import { connect } from '#engine/storage/postgres-client.ts';

export interface ForecastJob {
  readonly connection: ConnectionSettings;
  readonly question: PreviewQuestion;
}

let forecasts: FittedForecasts | null = null;

/** `database_away`: an error would lose its code on the way to another thread. */
export type ForecastResult = WeekendPreview | 'database_away' | null;

export async function forecast({ connection, question }: ForecastJob): Promise<ForecastResult> {
  forecasts ??= new FittedForecasts(async () => {
    // Releases change a few times a month at most, so no connection is kept for them.
    const sql = connect(connection, { max: 1, name: 'slipstream-forecast', clock: systemClock });
    try {
      return await readImportedHistory(new PostgresHistoryStore(sql));
    } finally {
      await sql.end();
    }
  });
  try {
    return await forecasts.of(question);
  } catch (error) {
    if (isDatabaseOutage(error)) return 'database_away';
    throw error;
  }
}
