// What is wrong with one line of a dump, for whoever knows which line of which file it is.

export class LineProblem extends Error {
  override readonly name = 'LineProblem';
  /** From 1, where it is known. */
  readonly column: number | undefined;

  constructor(problem: string, column?: number) {
    super(problem);
    this.column = column;
  }
}
