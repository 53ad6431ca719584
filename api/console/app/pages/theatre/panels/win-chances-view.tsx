// The chances of a win over time: the six best.

import { type Signal, signal } from '@preact/signals';
import type uPlot from 'uplot';
import { signIn } from '../../../data/account.ts';
import { LinkButton } from '../../../parts/button.tsx';
import { Time } from '../../../parts/time.tsx';
import { language, text } from '../../../text/text.ts';
import type { Panel } from '../show/fold.ts';
import { DriverPlot, PlotRoom } from './driver-plot.tsx';
import { TableDetails } from './table-details.tsx';
import { useDrawing } from './use-drawing.ts';
import type { WinChances } from './win-chances.ts';

const SHOWN = 6;
const ROOM = { entrants: SHOWN, characters: 5 };
/** The demo race shows every model to everyone. */
const DEMO_SESSION = 'demo-race';
const CLOCK = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit' });
const MINUTES = [1, 2, 5, 10, 15, 30, 60].map((minutes) => 60 * minutes);
/** From the first report to the last; a single one gets two minutes, where uPlot would give it a day. */
const timesOf = ({ data: [times] }: uPlot): [number, number] => {
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  return last > first ? [first, last] : [first - 60, last + 60];
};
const CHANCE_FRAME: Pick<uPlot.Options, 'scales' | 'axes'> = {
  scales: { x: { range: timesOf }, y: { range: [0, 1] } },
  axes: [
    { space: 60, incrs: MINUTES, values: (_plot, splits) => splits.map((second) => CLOCK.format(second * 1_000)) },
    { size: 56, values: (_plot, splits) => splits.map(text.panels.chance) },
  ],
};

export function winChancesView(fold: WinChances): Panel['View'] {
  /** Kept while the panel is hidden. */
  const chosen = signal<string | null>(null);
  return function WinChancesView({ theatre }) {
    const place = useDrawing(theatre, () => fold.version + fold.entrants.version);
    return (
      <div ref={place} class="stack tight">
        {fold.rows.length > 0 ? (
          <ChanceLines fold={fold} chosen={chosen} />
        ) : (
          <NoChances fold={fold} sessionId={theatre.sessionId} />
        )}
      </div>
    );
  };
}

interface NoChancesProps {
  readonly fold: WinChances;
  readonly sessionId: string;
}

function NoChances({ fold, sessionId }: NoChancesProps) {
  const account = signIn.value;
  const isOpen = account.kind !== 'in' || account.account.terms.opens.includes('analytics');
  if (isOpen || sessionId === DEMO_SESSION) {
    const words = <p class="soft">{text.panels.chancesNone}</p>;
    if (!fold.isRace) return words;
    return (
      <PlotRoom room={ROOM} details={2}>
        {words}
      </PlotRoom>
    );
  }
  return (
    <>
      <p class="soft">{text.panels.chancesNotInPlan}</p>
      <div>
        <LinkButton small path="/console/usage">
          {text.panels.chancesSeePlans}
        </LinkButton>
      </div>
    </>
  );
}

interface ChanceLinesProps {
  readonly fold: WinChances;
  readonly chosen: Signal<string | null>;
}

function ChanceLines({ fold, chosen }: ChanceLinesProps) {
  const { rows } = fold;
  const order = fold.favourites(SHOWN);
  const columns = [...order].sort((a, b) => a.number.localeCompare(b.number));
  const data: uPlot.AlignedData = [
    rows.map(({ atMs }) => atMs / 1_000),
    ...columns.map(({ number }) => rows.map(({ chances }) => chances.get(number) ?? null)),
  ];
  const latest = rows.at(-1)!.chances;
  const shown = (number: string): string => text.panels.chance(latest.get(number) ?? 0);
  return (
    <>
      <DriverPlot
        label={text.panels.chancesLabel(order.map(({ number, code }) => text.panels.chanceOf(code, shown(number))))}
        entrants={columns}
        data={data}
        shownValue={({ number }) => shown(number)}
        chosen={chosen}
        order={order}
        room={ROOM}
        frame={CHANCE_FRAME}
      />
      <details>
        <summary>{text.panels.chancesAbout}</summary>
        <div class="stack tight small">
          <p>{text.panels.chancesModel}</p>
          <p>{text.panels.chancesMeasured}</p>
        </div>
      </details>
      <TableDetails label={text.panels.chancesTitle}>
        {() => (
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{text.panels.chancesTime}</th>
                <th scope="col" class="number">
                  {text.panels.lap}
                </th>
                {order.map(({ number, code }) => (
                  <th key={number} scope="col" class="number">
                    {code}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(({ atMs, lap, chances }) => (
                <tr key={atMs}>
                  <th scope="row">
                    <Time at={new Date(atMs).toISOString()} show="time" />
                  </th>
                  <td class="number">{lap ?? text.panels.none}</td>
                  {order.map(({ number }) => (
                    <td key={number} class="number">
                      {chances.has(number) ? text.panels.chance(chances.get(number)!) : text.panels.none}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </TableDetails>
    </>
  );
}
