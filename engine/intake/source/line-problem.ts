// The problem with one line of a dump. The reader of the file adds its name and the line number.

export class LineProblem extends Error {
  override readonly name = 'LineProblem';
  /** Counts from 1; undefined if unknown. */
  readonly column: number | undefined;

  constructor(problem: string, column?: number) {
    super(problem);
    this.column = column;
  }
}
