// A chart's values as a table, made only once somebody opens it.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { text } from '../../../text/text.ts';

export function TableDetails({
  label,
  children,
}: {
  readonly label: string;
  readonly children: () => ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text.panels.asTable}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section class="table-scroll chart-table" tabIndex={0} aria-label={label}>
          {children()}
        </section>
      )}
    </details>
  );
}
