// Assertions that stay on in production. They state what must be true of our own code; they are not input validation.
// A failed assertion inside an actor stops that actor; in shared machinery it stops the thread.

export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

export function assert(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new AssertionFailed(claim);
}

/** Marks a branch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionFailed(`unreachable: ${JSON.stringify(value)}`);
}
