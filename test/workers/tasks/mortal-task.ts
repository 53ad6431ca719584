// A task of which a thread can die.

export async function answer(task: string): Promise<string> {
  if (task === 'die') process.exit(3);
  if (task === 'linger') await new Promise((resolve) => setTimeout(resolve, 60_000));
  return task;
}
