// More about the driver who is selected in the tower.

import type { Signal } from '@preact/signals';
import { Button } from '../../../parts/button.tsx';
import { text } from '../../../text/text.ts';
import type { Theatre } from '../show/fold.ts';
import type { TowerFold } from './tower-fold.ts';
import { Tyre } from './tyre.tsx';

const words = text.theatre.driver;
const { none } = text.theatre.tower;

export interface DriverCardProps {
  readonly theatre: Theatre;
  readonly fold: TowerFold;
  readonly selected: Signal<string | null>;
}

export function DriverCard({ theatre, fold, selected }: DriverCardProps) {
  theatre.frame.value;
  const driver = selected.value === null ? undefined : fold.driver(selected.value);
  if (driver === undefined) return null;
  const facts: readonly (readonly [string, string | number])[] = [
    [words.number, driver.number],
    [words.team, driver.team ?? none],
    [words.grid, driver.gridPosition ?? none],
    [words.laps, driver.lapsCompleted],
    [
      words.best,
      `${driver.bestLap?.display || none}${driver.bestLapNumber === null ? '' : words.onLap(driver.bestLapNumber)}`,
    ],
    [words.speedTrap, driver.speedTrapKph === null ? none : words.kph(driver.speedTrapKph)],
  ];
  return (
    <section class="card driver-card" aria-label={driver.name ?? driver.number}>
      <div class="row apart">
        <h2>{driver.name ?? driver.tla ?? driver.number}</h2>
        <Button
          small
          onClick={() => {
            selected.value = null;
          }}
        >
          {text.parts.close}
        </Button>
      </div>
      <dl class="show-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>{text.theatre.tower.tyre}</dt>
          <dd>
            <Tyre compound={driver.compound} age={driver.tyreAge} isNew={driver.isNewTyre} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
