// The deliveries of a run that the page watches, beside the race: as the run's own page of the API has them.

import { service } from '../../../data/service.ts';
import { useLoad } from '../../../data/use-load.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { language, text } from '../../../text/text.ts';
import { type EndpointRow, endpointRows, ROWS_MAX } from './delivery-rows.ts';

const words = text.theatre.deliveries;
const EVERY_MS = 2_000;

export function Deliveries({ runId }: { readonly runId: string }) {
  const load = useLoad((signal) => service.getRun({ runId }, { signal }), [runId], { everyMs: EVERY_MS });
  const names = useLoad((signal) => service.listWebhooks({ limit: 100 }, { signal }), [runId]);
  const urls = new Map(
    names.kind === 'ready'
      ? names.value.endpoints.map(({ webhookId, webhookUrl }) => [webhookId, webhookUrl] as const)
      : [],
  );
  return (
    <section class="stack tight">
      <h2>{words.title}</h2>
      <Loaded load={load}>
        {(run) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
            <div class="table-scroll" tabIndex={0}>
              <table class="table stacked run-deliveries">
                <thead>
                  <tr>
                    <th scope="col">{words.endpoint}</th>
                    <th scope="col" class="number">
                      {words.delivered}
                    </th>
                    <th scope="col" class="number">
                      {words.pending}
                    </th>
                    <th scope="col" class="number">
                      {words.failed}
                    </th>
                    <th scope="col" class="number">
                      {words.skipped}
                    </th>
                    <th scope="col" class="number">
                      {words.lag}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {endpointRows(run.endpoints, urls).map((row) => (
                    <Row key={row.key} row={row} />
                  ))}
                </tbody>
              </table>
            </div>
            {run.endpoints.length > ROWS_MAX && (
              <p class="small soft">{words.leftOut(ROWS_MAX, run.endpoints.length)}</p>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Row({ row }: { readonly row: EndpointRow }) {
  return (
    <tr>
      <th scope="row">
        {row.name ?? words.all} {row.isHeld && <span class="badge bad">{words.pausedByBreaker}</span>}
        {row.isInactive && <span class="badge warn">{words.inactive}</span>}
      </th>
      <td class="number" data-title={words.delivered}>
        {row.delivered.toLocaleString(language)}
      </td>
      <td class="number" data-title={words.pending}>
        {row.pending.toLocaleString(language)}
      </td>
      <td class={row.failed > 0 ? 'number bad-text' : 'number'} data-title={words.failed}>
        {row.failed.toLocaleString(language)}
      </td>
      <td class="number" data-title={words.skipped}>
        {row.skipped.toLocaleString(language)}
      </td>
      <td class="number" data-title={words.lag}>
        {words.ms(row.lagMs)}
      </td>
    </tr>
  );
}
