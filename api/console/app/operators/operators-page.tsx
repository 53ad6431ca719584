// What the service does just now, for those who run it. Read-only, but for stopping runs.

import type { OperatorsHistory, OperatorsOverview, ShownWarning } from '#schemas/http/operators.ts';
import { Mark } from '../frame/mark.tsx';
import { Button } from '../parts/button.tsx';
import { Loading } from '../parts/loaded.tsx';
import { Page } from '../parts/page.tsx';
import { ThemeButton } from '../parts/theme-button.tsx';
import { Time } from '../parts/time.tsx';
import { Toasts } from '../parts/toasts.tsx';
import { operatorsText as text } from '../text/text.ts';
import { LiveSources, Shards, Threads } from './figures-tables.tsx';
import { Findings } from './findings.tsx';
import { LagPlots } from './lag-plots.tsx';
import { Runs } from './runs.tsx';
import { Tiles } from './tiles.tsx';
import { usePolled } from './use-polled.ts';
import { Warnings } from './warnings.tsx';

const OVERVIEW_MS = 2_000;
const HISTORY_MS = 10_000;

export function OperatorsPage() {
  const overview = usePolled<OperatorsOverview>('/overview', OVERVIEW_MS);
  return (
    <>
      <header class="header">
        <div class="header-inner">
          <a class="brand" href="/">
            <Mark />
            {text.brand}
          </a>
          <div class="header-end">
            <ThemeButton />
          </div>
        </div>
      </header>
      <Page title={text.title} width="wide">
        {overview.kind === 'loading' && <Loading retry={overview.reload} />}
        {overview.kind === 'failed' && (
          <div class="notice bad" role="alert">
            <strong>{text.failed}</strong>
            <p>{overview.problem}</p>
            <Button onClick={overview.reload}>{text.tryAgain}</Button>
          </div>
        )}
        {overview.kind === 'stale' && (
          <div class="notice bad" role="alert">
            <strong>{text.stale}</strong>
            <p>{text.again}</p>
          </div>
        )}
        {(overview.kind === 'ready' || overview.kind === 'stale') && (
          <Sections now={overview.value} onChange={overview.reload} />
        )}
      </Page>
      <Toasts />
    </>
  );
}

function Sections({ now, onChange }: { readonly now: OperatorsOverview; readonly onChange: () => void }) {
  const history = usePolled<OperatorsHistory>('/history', HISTORY_MS);
  const warnings = usePolled<readonly ShownWarning[]>('/warnings', null, now.warnings);
  return (
    <>
      <p class="soft">
        {text.about(now.version)} <Time at={now.startedAt} />. {text.asOf} <Time at={now.at} show="time" />.
      </p>
      <Tiles now={now} />
      <section class="stack tight">
        <h2>{text.history.heading}</h2>
        {history.kind === 'loading' && <p class="soft">{text.history.loading}</p>}
        {history.kind === 'failed' && <p class="notice bad">{history.problem}</p>}
        {history.kind === 'stale' && (
          <p class="notice bad" role="alert">
            {text.history.stale}
          </p>
        )}
        {(history.kind === 'ready' || history.kind === 'stale') && <LagPlots history={history.value} />}
      </section>
      <Runs runs={now.runs} onStopped={onChange} />
      <Shards shards={now.shards} />
      <div class="operators-columns">
        <Threads threads={now.threads} />
        <LiveSources live={now.live} />
      </div>
      <div class="operators-columns">
        <div class="stack tight">
          {(warnings.kind === 'failed' || warnings.kind === 'stale') && (
            <div class="notice bad" role="alert">
              <p>{warnings.kind === 'failed' ? warnings.problem : text.warnings.stale}</p>
              <Button small onClick={warnings.reload}>
                {text.tryAgain}
              </Button>
            </div>
          )}
          {(warnings.kind === 'ready' || warnings.kind === 'stale') && <Warnings warnings={warnings.value} />}
        </div>
        <Findings />
      </div>
    </>
  );
}
