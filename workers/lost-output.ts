// Output that nobody reads any more: a program of a pipe has left, as `| head -1` does, or the terminal was closed. What is written is
// lost then, and the process does its work to the end. Otherwise the first write that fails would end it, whatever it is in the
// middle of.

const LOST: ReadonlySet<string | undefined> = new Set(['EPIPE', 'EIO']);

/** For what fails in a stream of output: throws the error if it has another reason. */
export function throwUnlessLost(error: NodeJS.ErrnoException): void {
  if (!LOST.has(error.code)) throw error;
}

/** `left`: called when the reader of standard output has left. */
export function surviveLostOutput(left: () => void = () => {}): void {
  process.stderr.on('error', throwUnlessLost);
  process.stdout.on('error', (error) => {
    throwUnlessLost(error);
    left();
  });
}
