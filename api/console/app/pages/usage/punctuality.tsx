// How many live updates of a month began in time. Custom only.

import { useState } from 'preact/hooks';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Field } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { language, text } from '../../text/text.ts';
import { excludedOf, monthBefore } from './figures.ts';
import type { PlanName } from './plans.ts';

const t = text.usage;
const numbers = new Intl.NumberFormat(language);
const MONTHS_SHOWN = 12;

export function Punctuality({ plan }: { readonly plan: PlanName }) {
  return (
    <section class="card">
      <h2>{t.slaTitle}</h2>
      {plan === 'custom' ? <Months /> : <p>{t.slaElsewhere}</p>}
    </section>
  );
}

function Months() {
  const now = new Date().toISOString();
  const months = Array.from({ length: MONTHS_SHOWN }, (_, before) => monthBefore(now, before));
  const [month, setMonth] = useState(months[0]!);
  const load = useLoad((signal) => service.getSla({ month }, { signal }), [month]);
  return (
    <>
      <div class="usage-month">
        <Field label={t.slaMonth}>
          {(tied) => (
            <select {...tied} value={month} onChange={(event) => setMonth(event.currentTarget.value)}>
              {months.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Loaded load={load}>
        {(sla) => (
          <>
            {sla.percentage === null || sla.met === null ? (
              <p>{t.slaNone}</p>
            ) : (
              <>
                <div class="row">
                  <strong class="usage-figure">{t.slaOf(String(sla.percentage))}</strong>
                  <span class={sla.met ? 'badge good' : 'badge bad'}>{sla.met ? t.slaMet.yes : t.slaMet.no}</span>
                </div>
                <p>
                  {t.slaCounts(
                    numbers.format(sla.onTime),
                    numbers.format(sla.late),
                    numbers.format(sla.due),
                    numbers.format(sla.sessions),
                  )}
                </p>
              </>
            )}
            {excludedOf(sla.excluded).length > 0 && (
              <>
                <h3>{t.slaExcluded}</h3>
                <dl class="figures">
                  {excludedOf(sla.excluded).map(([reason, count]) => (
                    <div key={reason}>
                      <dt>{t.excluded[reason]}</dt>
                      <dd>{numbers.format(count)}</dd>
                    </div>
                  ))}
                </dl>
              </>
            )}
            <p class="small soft">
              {t.slaTarget(String(sla.target), numbers.format(sla.withinMs))}{' '}
              {t.slaGaps(numbers.format(sla.sourceGapMinutes), numbers.format(sla.downtimeMinutes))}
            </p>
          </>
        )}
      </Loaded>
    </>
  );
}
