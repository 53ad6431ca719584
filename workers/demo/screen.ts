// The demo's output: permanent lines, and one progress line that a terminal rewrites. Without a terminal the progress
// line is printed every few seconds, so that a log stays readable.

export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const PLAIN_EVERY_MS = 5_000;

export class Screen {
  readonly #out: Output;
  readonly #colours: boolean;
  readonly #nowMs: () => number;
  #open = false;
  #plainAtMs = Number.NEGATIVE_INFINITY;

  constructor(out: Output, env: Readonly<Record<string, string | undefined>>, nowMs: () => number) {
    this.#out = out;
    this.#colours = out.isTTY === true && env.NO_COLOR === undefined && env.TERM !== 'dumb';
    this.#nowMs = nowMs;
  }

  say(line: string): void {
    if (this.#open) this.#out.write('\r\x1b[K');
    this.#open = false;
    this.#out.write(`${line}\n`);
  }

  progress(line: string): void {
    if (this.#out.isTTY === true) {
      this.#out.write(`\r\x1b[K${line}`);
      this.#open = true;
    } else if (this.#nowMs() - this.#plainAtMs >= PLAIN_EVERY_MS) {
      this.#plainAtMs = this.#nowMs();
      this.#out.write(`${line}\n`);
    }
  }

  good(text: string): string {
    return this.#colours ? `\x1b[32m${text}\x1b[0m` : text;
  }

  bad(text: string): string {
    return this.#colours ? `\x1b[1;31m${text}\x1b[0m` : text;
  }
}
