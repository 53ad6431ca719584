// Scores with what they are made of: of a race that is over, or of one that runs.

import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Bar } from '../../parts/bar.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { text } from '../../text/text.ts';
import { type Choice, linesFor, type Score, signed, totalBars } from './scores.ts';

const t = text.calendar;
const LIVE_REFRESH_MS = 5_000;

export function RaceScores({ choice }: { readonly choice: Choice }) {
  const { raceId, kind } = choice;
  const load = useLoad((signal) => service.getRaceScores({ raceId, session: kind }, { signal }), [raceId, kind]);
  if (load.kind === 'failed' && load.error.status === 404) return <NoScores why={load.error.message} />;
  return (
    <Loaded load={load}>
      {({ scores, rules, source, message, attribution }) => (
        <div class="stack tight">
          <ScoreTable choice={choice} scores={scores} />
          <p class="small soft">
            {t.rules(rules)} {source === 'history' ? t.sourceHistory : t.sourceRecording} {message}
          </p>
          {attribution !== null && <p class="small soft">{attribution}</p>}
        </div>
      )}
    </Loaded>
  );
}

/** A race is over before its result arrives. */
export function NoScores({ why }: { readonly why: string }) {
  return (
    <Empty title={t.scoresNone}>
      <p>{why}</p>
      <p>{t.scoresNoneHint}</p>
    </Empty>
  );
}

export function LiveScores({ choice }: { readonly choice: Choice }) {
  const { sessionId } = choice;
  const load = useLoad((signal) => service.getLiveScores({ sessionId }, { signal }), [sessionId], {
    everyMs: LIVE_REFRESH_MS,
  });
  return (
    <Loaded load={load}>
      {({ scores, rules, provisional, currentLap, totalLaps, message }) => (
        <div class="stack tight">
          <div class="row">
            {provisional && <span class="badge warn">{t.provisional}</span>}
            {currentLap !== null && totalLaps !== null && <span>{t.lapOf(currentLap, totalLaps)}</span>}
          </div>
          {scores.length === 0 ? (
            <Empty title={message ?? t.fantasyEmpty} />
          ) : (
            <ScoreTable choice={choice} scores={scores} />
          )}
          <p class="small soft">
            {t.provisionalHint} {t.rules(rules)}
          </p>
        </div>
      )}
    </Loaded>
  );
}

interface ScoreTableProps {
  readonly choice: Choice;
  readonly scores: readonly Score[];
}

function ScoreTable({ choice: { name, kind }, scores }: ScoreTableProps) {
  const lines = linesFor(kind);
  const bars = totalBars(scores.map(({ breakdown }) => breakdown.total));
  const caption = t.scoresCaption(name, kind);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <table class="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              {t.rank}
            </th>
            <th scope="col">{t.driver}</th>
            <th scope="col">{t.total}</th>
            {lines.map((line) => (
              <th key={line} scope="col" class="number" title={t.linesLong[line]}>
                {t.lines[line]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {scores.map(({ driver, tla, team, breakdown }, at) => {
            const { share, loss } = bars[at]!;
            return (
              <tr key={driver}>
                <td class="number">{at + 1}</td>
                <th scope="row">
                  {tla === '' ? driver : tla}
                  <div class="small soft">{team}</div>
                </th>
                <td class="bar-cell">
                  {breakdown.total < 0 ? signed(breakdown.total) : breakdown.total}
                  <Bar share={share} {...(loss && { tone: 'warn' })} />
                </td>
                {lines.map((line) => (
                  <td key={line} class={breakdown[line] === 0 ? 'number soft' : 'number'}>
                    {signed(breakdown[line])}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
