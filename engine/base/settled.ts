// Waits for several pieces of work that share something, such as rows or a retry: none is still under way when one has failed.

/** Resolves when all have ended well. When all have ended and some have failed, rejects with the first failure. */
export async function allSettled(work: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(work);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
