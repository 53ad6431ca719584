// The panels beside the tower, and which of them are shown: as the viewer chose last.

import { signal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { text } from '../../text/text.ts';
import type { Panel, Theatre } from './show/fold.ts';

/** By name, for this visit. */
const hiddenPanels = signal<ReadonlySet<string>>(new Set());

export interface PanelGridProps {
  readonly theatre: Theatre;
  readonly panels: readonly Panel[];
}

export function PanelGrid({ theatre, panels }: PanelGridProps) {
  const hidden = hiddenPanels.value;
  if (panels.length === 0) return null;
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    hiddenPanels.value = next;
  };
  return (
    <section class="stack theatre-panels" aria-label={text.theatre.panels.title}>
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
