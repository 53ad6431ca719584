// The month's counts in all, and by feed with the time that deliveries took.

import type { GetUsageAnswer, GetUsageByFeedAnswer, GetUsageLatencyAnswer } from '#api/client/calls.ts';
import { Bar } from '../../parts/bar.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Empty } from '../../parts/loaded.tsx';
import { language, text } from '../../text/text.ts';
import { Figures } from './bucket.tsx';
import { feedUses, successShare } from './figures.ts';

const t = text.usage;
const numbers = new Intl.NumberFormat(language);
const latencies = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const shares = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });

export function Counts({ usage }: { readonly usage: GetUsageAnswer }) {
  const share = successShare(usage);
  return (
    <section class="card">
      <h2>{t.countsTitle}</h2>
      <Figures
        figures={[
          [t.counts.deliveries, numbers.format(usage.deliveryCount)],
          [t.counts.succeeded, numbers.format(usage.successCount)],
          [t.counts.failed, numbers.format(usage.failureCount)],
          [t.counts.skipped, numbers.format(usage.skippedCount)],
          [t.counts.streamed, numbers.format(usage.streamedCount)],
          [t.counts.demo, numbers.format(usage.demoDeliveryCount + usage.demoStreamedCount)],
        ]}
      />
      {share !== null && (
        <>
          <Bar share={share} tone="good" />
          <p class="small soft">
            {t.counts.succeeded}: {t.share(shares.format(Math.floor(share * 1_000) / 1_000))}
          </p>
        </>
      )}
    </section>
  );
}

interface FeedsProps {
  readonly byFeed: GetUsageByFeedAnswer['byFeed'];
  readonly latency: GetUsageLatencyAnswer;
}

export function Feeds({ byFeed, latency }: FeedsProps) {
  if (byFeed.length === 0) {
    return (
      <Empty title={t.feedsNone}>
        <p>{t.feedsNoneHint}</p>
        <div class="row">
          <LinkButton path="/console/endpoints">{t.toEndpoints}</LinkButton>
          <LinkButton path="/console/replay/demo-race">{t.toDemo}</LinkButton>
        </div>
      </Empty>
    );
  }
  const figure = (ms: number | undefined) => <td class="number">{ms === undefined ? '–' : latencies.format(ms)}</td>;
  return (
    <div class="stack tight">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section class="table-scroll" tabIndex={0} aria-label={t.feedsTitle}>
        <table class="table">
          <caption>{t.feedsTitle}</caption>
          <thead>
            <tr>
              <th scope="col">{t.feed}</th>
              <th scope="col">{t.deliveries}</th>
              <th scope="col" class="number">
                {t.streamed}
              </th>
              <th scope="col" class="number">
                {t.samples}
              </th>
              {['p50', 'p95', 'p99'].map((name) => (
                <th key={name} scope="col" class="number">
                  {t.ms(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {feedUses(byFeed, latency.byFeed).map(({ feedId, deliveries, streamed, share, latency: times }) => (
              <tr key={feedId}>
                <th scope="row">{feedId}</th>
                <td class="bar-cell">
                  {numbers.format(deliveries)}
                  <Bar share={share} />
                </td>
                <td class="number">{numbers.format(streamed)}</td>
                <td class="number">{numbers.format(times?.sampleCount ?? 0)}</td>
                {figure(times?.p50)}
                {figure(times?.p95)}
                {figure(times?.p99)}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="small soft">{t.latencyNote(shares.format(latency.relativeError))}</p>
    </div>
  );
}
