/** There is no such run or account, or the run cannot be stopped. The message says why, and what to do. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';
}
