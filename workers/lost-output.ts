// Output that nobody reads any more: a program of a pipe has left, as `| head -1` does. What is written is lost then, and the
// process does its work to the end. Otherwise the first write that fails would end it, whatever it is in the middle of.

/** `left`: called when the reader of standard output has left. */
export function surviveLostOutput(left: () => void = () => {}): void {
  const failed = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
  };
  process.stderr.on('error', failed);
  process.stdout.on('error', (error) => {
    failed(error);
    left();
  });
}
