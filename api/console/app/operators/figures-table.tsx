// A table of figures: columns are named once, cells that need somebody are marked in words and colour.

import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Column<Row> {
  readonly label: string;
  /** Figures stand at the end of their cell. */
  readonly isNumber?: boolean;
  /** Stays in view while the table is scrolled. */
  readonly isFixed?: boolean;
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
        <caption id={id} class="sr-only">
          {heading}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={classOf(column)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, no) => (
            <tr key={keyOf(row, no)}>
              {columns.map((column, place) =>
                place === 0 ? (
                  <th key={column.label} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.label} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function classOf({ isNumber, isFixed }: Pick<Column<never>, 'isNumber' | 'isFixed'>): string | undefined {
  if (isFixed === true) return 'operators-fixed';
  return isNumber === true ? 'number' : undefined;
}
