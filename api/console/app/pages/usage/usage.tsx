// The month's use of the plan, and what each plan includes.

import { useEffect } from 'preact/hooks';
import { type Account, signIn } from '../../data/account.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { text } from '../../text/text.ts';
import { Bucket } from './bucket.tsx';
import { Counts, Feeds } from './counts.tsx';
import { Days } from './days.tsx';
import { Plans } from './plans-part.tsx';
import { Punctuality } from './punctuality.tsx';
import { Slots, Streams } from './slots.tsx';

const t = text.usage;
const REFRESH_MS = 15_000;

export function Usage() {
  const state = signIn.value;
  return state.kind === 'in' ? <UsageOf account={state.account} /> : null;
}

function UsageOf({ account }: { readonly account: Account }) {
  const load = useLoad(
    async (signal) => {
      const [usage, byFeed, latency] = await Promise.all([
        service.getUsage({ signal }),
        service.getUsageByFeed({ signal }),
        service.getUsageLatency({ signal }),
      ]);
      return { usage, byFeed: byFeed.byFeed, latency };
    },
    [account.plan],
    { everyMs: REFRESH_MS },
  );
  const isShown = load.kind !== 'loading';
  // Links lead to the plans, whose place is known once what is above them is there.
  useEffect(() => {
    if (isShown && location.hash === '#plans') document.getElementById('plans')?.scrollIntoView();
  }, [isShown]);
  return (
    <Page title={t.title} actions={<span class="badge">{t.planIs(t.plans[account.plan])}</span>}>
      <Loaded load={load}>
        {({ usage, byFeed, latency }) => (
          <>
            <div class="cards">
              <Bucket account={account} usage={usage} />
              <Counts usage={usage} />
              <div class="stack">
                <Slots />
                <Streams streams={account.terms.streams} />
              </div>
            </div>
            {byFeed.length > 0 && <Days byFeed={byFeed} windowStart={usage.windowStart} />}
            <Feeds byFeed={byFeed} latency={latency} />
          </>
        )}
      </Loaded>
      {isShown && (
        <>
          <Punctuality plan={account.plan} />
          <Plans account={account} />
        </>
      )}
    </Page>
  );
}
