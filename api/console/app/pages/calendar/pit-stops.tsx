// The stops of a session from the fastest to the slowest.

import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Bar } from '../../parts/bar.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';
import { NoScores } from './score-tables.tsx';
import { type Choice, comparedStops } from './scores.ts';

const t = text.calendar;
const LIVE_REFRESH_MS = 5_000;

export function PitStops({ choice: { sessionId, live } }: { readonly choice: Choice }) {
  const load = useLoad(
    (signal) => service.getPitTimes({ sessionId }, { signal }),
    [sessionId],
    live ? { everyMs: LIVE_REFRESH_MS } : {},
  );
  if (load.kind === 'failed' && load.error.status === 404) return <NoScores why={load.error.message} />;
  return (
    <Loaded load={load}>
      {({ stops, source, attribution }) =>
        stops.length === 0 ? (
          <Empty title={t.stopsNone} />
        ) : (
          <div class="stack tight">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <section class="table-scroll" tabIndex={0} aria-label={t.stopsTitle}>
              <table class="table pit-stops">
                <caption>{t.stopsTitle}</caption>
                <thead>
                  <tr>
                    <th scope="col" class="number">
                      {t.rank}
                    </th>
                    <th scope="col">{t.driver}</th>
                    <th scope="col" class="number">
                      {t.stopLap}
                    </th>
                    <th scope="col" class="number">
                      {t.stopSeconds}
                    </th>
                    <th scope="col">{t.stopGap}</th>
                  </tr>
                </thead>
                <tbody>
                  {comparedStops(stops).map(({ stop, gap, share }, at) => (
                    <tr key={`${stop.driver} ${stop.lap}`}>
                      <td class="number">{at + 1}</td>
                      <th scope="row">
                        {stop.tla === '' ? stop.driver : stop.tla}
                        <div class="small soft">{stop.team}</div>
                      </th>
                      <td class="number">{stop.lap}</td>
                      <td class="number">{stop.seconds.toFixed(3)}</td>
                      <td class="gap-cell">
                        {at === 0 ? t.fastest : `+${gap.toFixed(3)}`}
                        {at > 0 && <Bar share={share} />}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
            <p class="small soft">
              {t.stopsNote} {source === 'live' && t.stopsLive}
            </p>
            {attribution !== null && <p class="small soft">{attribution}</p>}
          </div>
        )
      }
    </Loaded>
  );
}
