// The timing tower. A row is drawn again only when something of its driver has changed, and keeps its element when it moves.

import type { Signal } from '@preact/signals';
import { Component } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { text } from '../../../text/text.ts';
import type { Theatre } from '../show/fold.ts';
import { movesOf } from './moves.ts';
import { durationOf, slide } from './slide.ts';
import {
  type DriverShown,
  type LapTime,
  type Merit,
  type SectorShown,
  statusOf,
  type TowerFold,
} from './tower-fold.ts';
import { Tyre } from './tyre.tsx';

const words = text.theatre.tower;
const SECTORS = [1, 2, 3] as const;

export interface TowerProps {
  readonly theatre: Theatre;
  readonly fold: TowerFold;
  /** The number of the driver whose details are shown. */
  readonly selected: Signal<string | null>;
  /** In a race the gap comes first, elsewhere the best lap. */
  readonly isRace: boolean;
}

export function Tower({ theatre, fold, selected, isRace }: TowerProps) {
  theatre.frame.value;
  const { order } = fold;
  const body = useSlides(order);
  if (order.length === 0) return <p class="tower waiting soft">{words.waiting}</p>;
  return (
    <div class="tower">
      <table class={isRace ? 'race' : 'laps'}>
        <caption class="sr-only">{words.title}</caption>
        <thead>
          <tr>
            <th class="t-pos" scope="col">
              {words.position}
            </th>
            <th class="t-driver" scope="col">
              {words.driver}
            </th>
            <th class="t-gap" scope="col">
              {words.gap}
            </th>
            <th class="t-interval" scope="col">
              {words.interval}
            </th>
            <th class="t-last" scope="col">
              {words.last}
            </th>
            <th class="t-best" scope="col">
              {words.best}
            </th>
            {SECTORS.map((sector) => (
              <th class="t-sector" scope="col" key={sector}>
                {words.sector(sector)}
              </th>
            ))}
            <th class="t-tyre" scope="col">
              {words.tyre}
            </th>
            <th class="t-stops" scope="col">
              {words.stops}
            </th>
            <th class="t-status" scope="col">
              {words.status}
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {order.map((driver) => (
            <Row
              key={driver.number}
              driver={driver}
              version={driver.version}
              isSelected={selected.value === driver.number}
              onSelect={() => {
                selected.value = selected.value === driver.number ? null : driver.number;
              }}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly driver: DriverShown;
  readonly version: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

class Row extends Component<RowProps> {
  override shouldComponentUpdate({ version, isSelected }: RowProps): boolean {
    return version !== this.props.version || isSelected !== this.props.isSelected;
  }

  override render({ driver, isSelected, onSelect }: RowProps) {
    const status = statusOf(driver);
    const code = driver.tla ?? driver.number;
    return (
      <tr data-number={driver.number} class={`${status ?? ''}${isSelected ? ' selected' : ''}`}>
        <td class="t-pos">{driver.position ?? words.none}</td>
        <th class="t-driver" scope="row">
          <button
            type="button"
            aria-pressed={isSelected}
            aria-label={words.select(code, driver.name ?? code)}
            onClick={onSelect}
          >
            <span
              class="team-bar"
              style={driver.teamColor === null ? undefined : { background: `#${driver.teamColor}` }}
            />
            <span class="code">{code}</span>
          </button>
        </th>
        <td class="t-gap">{driver.gap || words.none}</td>
        <td class="t-interval">{driver.interval || words.none}</td>
        <TimeCell class="t-last" time={driver.lastLap} merit={driver.lastMerit} />
        <td class="t-best">{driver.bestLap?.display || words.none}</td>
        {SECTORS.map((sector) => (
          <SectorCell key={sector} sector={driver.sectors[sector - 1]} />
        ))}
        <td class="t-tyre">
          <Tyre compound={driver.compound} age={driver.tyreAge} isNew={driver.isNewTyre} />
        </td>
        <td class="t-stops">{driver.stops}</td>
        <td class="t-status">
          {status === null ? '' : <span class={`state ${status}`}>{words.statuses[status]}</span>}
        </td>
      </tr>
    );
  }
}

function TimeCell({ class: name, time, merit: said }: { class: string; time: LapTime | null; merit: Merit }) {
  const merit = meritShown(time, said);
  return (
    <td class={`${name} ${merit}`}>
      {time?.display || words.none}
      {merit !== 'none' && <span class="sr-only">{words.merits[merit]}</span>}
    </td>
  );
}

/** Of a time that is not there any more, nothing is. */
function meritShown(time: LapTime | null, merit: Merit): Merit {
  return time === null || time.display === '' ? 'none' : merit;
}

function SectorCell({ sector }: { readonly sector: SectorShown | undefined }) {
  if (sector === undefined) return <td class="t-sector">{words.none}</td>;
  const { time, segments } = sector;
  const merit = meritShown(time, sector.merit);
  return (
    <td class={`t-sector ${merit}`}>
      {time?.display || words.none}
      {merit !== 'none' && <span class="sr-only">{words.merits[merit]}</span>}
      <span class="mini-sectors" aria-hidden="true">
        {segments.map((status, index) => (
          <i key={index} class={`s${status}`} />
        ))}
      </span>
    </td>
  );
}

/** Slides the rows that have changed places. A row that the browser has moved keeps the focus. */
function useSlides(order: readonly DriverShown[]) {
  const body = useRef<HTMLTableSectionElement>(null);
  const places = useRef<ReadonlyMap<string, number>>(new Map());
  const shown = useRef<readonly DriverShown[]>([]);
  const focused = useRef<string | null>(null);
  // While rows are moved, the browser drops the focus of one of them.
  const holder = body.current?.contains(document.activeElement) === true ? document.activeElement : null;
  focused.current = holder?.closest<HTMLElement>('tr')?.dataset.number ?? null;
  useLayoutEffect(() => {
    if (shown.current === order || body.current === null) return;
    shown.current = order;
    const keys = order.map(({ number }) => number);
    const moves = movesOf(places.current, keys);
    places.current = new Map(keys.map((key, index) => [key, index]));
    if (moves.length === 0) return;
    const rows = body.current.rows;
    if (focused.current !== null && !body.current.contains(document.activeElement))
      rows[keys.indexOf(focused.current)]?.querySelector('button')?.focus({ preventScroll: true });
    const durationMs = durationOf('--smooth');
    if (durationMs === 0 || document.hidden) return;
    const heightPx = rowHeightPx(rows[0]!);
    for (const [key, rowsAbove] of moves) slide(rows[places.current.get(key)!]!, rowsAbove * heightPx, durationMs);
  });
  return body;
}

/** From the style sheet, where it is fixed: reading it does not lay out the page. */
function rowHeightPx(row: HTMLElement): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Number.parseFloat(getComputedStyle(row).getPropertyValue('--row')) * rem;
}
