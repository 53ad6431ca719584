// Assertions that stay on in production. They state what must be true of our own code; they do not validate input. A
// failed assertion in an actor stops that actor. Anywhere else it stops the thread.

export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

export function assert(condition: unknown, claim: string): asserts condition {
  if (!condition) throw new AssertionFailed(claim);
}

/** Marks a branch that the types rule out. */
export function unreachable(value: never): never {
  throw new AssertionFailed(`unreachable: ${JSON.stringify(value)}`);
}
