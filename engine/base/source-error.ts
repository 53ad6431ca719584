// What was handed in as a recording cannot be used. The message is meant for the person who handed it in: it says where
// the problem is, what it is, and what to do about it.

export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** The file, folder or topic that is wrong, with its line where there is one: `TimingData.jsonStream:17`. */
  readonly where: string;

  constructor(where: string, problem: string, advice: string) {
    super(`${where}: ${problem}. ${advice}`);
    this.where = where;
  }
}
