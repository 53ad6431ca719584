// What else the plan counts: sessions to replay, and streams.

import { to } from '../../address.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { language, text } from '../../text/text.ts';

const t = text.usage;
const numbers = new Intl.NumberFormat(language);
const UNLOCKED_SHOWN_MAX = 20;

export function Slots() {
  const load = useLoad((signal) => service.getSimulateQuota({ signal }), []);
  return (
    <section class="card">
      <h2>{t.slotsTitle}</h2>
      <Loaded load={load}>
        {({ limit, used, unlocked, currentSeasonOnly }) => (
          <>
            <strong class="usage-figure">{limit === -1 ? t.slotsAll(used) : t.slotsOf(used, limit)}</strong>
            {limit > 0 && (
              <span class="progress" aria-hidden="true">
                <span style={{ width: `${100 * Math.min(1, used / limit)}%` }} />
              </span>
            )}
            <p class="small">{currentSeasonOnly ? t.currentSeason : t.allSeasons}</p>
            <p class="small soft">{t.slotsHint}</p>
            {unlocked.length > 0 && (
              <details>
                <summary>{t.unlocked}</summary>
                <ul class="usage-unlocked">
                  {unlocked.slice(0, UNLOCKED_SHOWN_MAX).map((id) => (
                    <li key={id}>
                      <a href={to(`/console/replay/${encodeURIComponent(id)}`)}>{id}</a>
                    </li>
                  ))}
                  {unlocked.length > UNLOCKED_SHOWN_MAX && (
                    <li>{t.moreUnlocked(unlocked.length - UNLOCKED_SHOWN_MAX)}</li>
                  )}
                </ul>
              </details>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

export function Streams({ streams }: { readonly streams: number }) {
  return (
    <section class="card">
      <h2>{t.streamsTitle}</h2>
      <strong class="usage-figure">{t.streams(numbers.format(streams))}</strong>
      <p class="small soft">{t.streamsHint}</p>
      <a href={to('/docs/streams')}>{t.streamsDocs}</a>
    </section>
  );
}
