// The panels beside the tower, and which of them are shown: as the viewer chose last.

import { useState } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { text } from '../../text/text.ts';
import type { Panel, Theatre } from './show/fold.ts';

const KEY = 'slipstream-theatre-hidden';

export interface PanelGridProps {
  readonly theatre: Theatre;
  readonly panels: readonly Panel[];
}

export function PanelGrid({ theatre, panels }: PanelGridProps) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(storedNames);
  if (panels.length === 0) return null;
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
    localStorage.setItem(KEY, [...next].join(' '));
  };
  return (
    <section class="stack" aria-label={text.theatre.panels.title}>
      <div class="row">
        {panels.map(({ name, title }) => (
          <Button
            key={name}
            small
            pressed={!hidden.has(name)}
            label={text.theatre.panels.show(title)}
            onClick={() => toggle(name)}
          >
            {title}
          </Button>
        ))}
      </div>
      <div class="panel-grid">
        {panels
          .filter(({ name }) => !hidden.has(name))
          .map(({ name, title, View }) => (
            <section key={name} class={`card panel ${name}`} aria-label={title}>
              <h2>{title}</h2>
              <View theatre={theatre} />
            </section>
          ))}
      </div>
    </section>
  );
}

function storedNames(): ReadonlySet<string> {
  return new Set((localStorage.getItem(KEY) ?? '').split(' ').filter((name) => name !== ''));
}
