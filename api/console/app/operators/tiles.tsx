// The figures of the moment, as tiles: threads, shards, deliveries, the database.

import type { OperatorsOverview } from '#schemas/http/operators.ts';
import { operatorsText } from '../text/text.ts';
import { tilesOf } from './tile-figures.ts';

const text = operatorsText.tiles;

export function Tiles({ now }: { readonly now: OperatorsOverview }) {
  return (
    <section class="stack tight">
      <h2>{text.heading}</h2>
      <dl class="operators-tiles">
        {tilesOf(now).map(({ label, value, detail, state }) => (
          <div key={label} class={`operators-tile ${state}`}>
            <dt>
              {label}
              {(state === 'warn' || state === 'bad') && <span class={`badge ${state}`}>{text.states[state]}</span>}
            </dt>
            <dd class="operators-value">{value}</dd>
            <dd class="soft small">{detail}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
