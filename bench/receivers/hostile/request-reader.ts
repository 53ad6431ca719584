// Counts the complete requests on one connection, from any client. It buffers only what it needs to find their ends.

const HEAD_BYTES_MAX = 64 * 1_024;
const HEAD_END = '\r\n\r\n';
const CHUNKS_END = '0\r\n\r\n';

export class RequestReader {
  /** The head so far, or the last bytes of a chunked body. */
  #held = '';
  /** Bytes of the body still to come; null during the head, Infinity for a chunked body. */
  #rest: number | null = null;

  /** Returns how many requests this piece completed. */
  take(piece: Buffer): number {
    let whole = 0;
    let text = piece.toString('latin1');
    while (text.length > 0) {
      if (this.#rest === null) {
        const end = (this.#held + text).indexOf(HEAD_END);
        if (end === -1) {
          this.#held = (this.#held + text).slice(-HEAD_BYTES_MAX);
          return whole;
        }
        const head = (this.#held + text).slice(0, end + HEAD_END.length);
        text = text.slice(head.length - this.#held.length);
        this.#held = '';
        this.#rest = /^transfer-encoding:.*chunked/im.test(head)
          ? Number.POSITIVE_INFINITY
          : Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0);
      } else if (this.#rest === Number.POSITIVE_INFINITY) {
        this.#held = (this.#held + text).slice(-CHUNKS_END.length);
        text = '';
        if (this.#held === CHUNKS_END) this.#rest = 0;
      } else {
        const taken = Math.min(this.#rest, text.length);
        this.#rest -= taken;
        text = text.slice(taken);
      }
      if (this.#rest === 0) {
        whole++;
        this.#rest = null;
        this.#held = '';
      }
    }
    return whole;
  }
}
