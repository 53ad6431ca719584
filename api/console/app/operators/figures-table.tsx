// A table of figures: columns are named once, cells that need somebody are marked in words and colour.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Column<Row> {
  readonly label: string;
  /** Figures stand at the end of their cell. */
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

export interface FiguresTableProps<Row> {
  readonly heading: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, no: number) => string | number;
  /** The first one names its row. */
  readonly columns: readonly Column<Row>[];
}

export function FiguresTable<Row>({ heading, rows, keyOf, columns }: FiguresTableProps<Row>) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-scroll" aria-labelledby={id} tabIndex={0}>
      <table class="table small">
        <caption id={id}>{heading}</caption>
        <thead>
          <tr>
            {columns.map(({ label, isNumber }) => (
              <th key={label} scope="col" class={isNumber === true ? 'number' : undefined}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, no) => (
            <tr key={keyOf(row, no)}>
              {columns.map(({ label, isNumber, cell }, column) => {
                const kind = isNumber === true ? 'number' : undefined;
                return column === 0 ? (
                  <th key={label} scope="row" class={kind}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={label} class={kind}>
                    {cell(row)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
