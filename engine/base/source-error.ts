// An input, such as a recording or a table, cannot be used. The message is for the person who provided it: it says
// where the problem is, what it is, and what to do about it.

export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** The file, folder or topic with the problem, and its line if there is one: `TimingData.jsonStream:17`. */
  readonly where: string;

  constructor(where: string, problem: string, advice: string) {
    super(`${where}: ${problem}. ${advice}`);
    this.where = where;
  }
}
