// Warnings and errors of the log, newest first.

import type { ShownWarning } from '#schemas/http/operators.ts';
import { Time } from '../parts/time.tsx';
import { operatorsText } from '../text/text.ts';
import { type Column, FiguresTable } from './figures-table.tsx';

const text = operatorsText.warnings;

const COLUMNS: readonly Column<ShownWarning>[] = [
  { label: text.at, cell: ({ at }) => <Time at={at} show="time" /> },
  {
    label: text.level,
    cell: ({ level }) => <span class={level === 'warning' ? 'badge warn' : 'badge bad'}>{text.levels[level]}</span>,
  },
  { label: text.from, cell: ({ from }) => from },
  {
    label: text.text,
    cell: ({ text: what, details }) => (
      <>
        {what}
        {details !== '' && <div class="soft operators-details">{details}</div>}
      </>
    ),
  },
];

export function Warnings({ warnings }: { readonly warnings: readonly ShownWarning[] }) {
  return (
    <section class="stack tight">
      <h2>{text.heading}</h2>
      <p class="soft">{warnings.length === 0 ? text.none : text.about(warnings.length)}</p>
      {warnings.length > 0 && (
        <FiguresTable
          heading={text.heading}
          rows={warnings}
          keyOf={(_, no) => warnings.length - no}
          columns={COLUMNS}
        />
      )}
    </section>
  );
}
