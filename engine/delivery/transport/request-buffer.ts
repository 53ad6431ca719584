// Where requests are put together, head and body in one piece, so that one goes to the kernel in one step.
//
// The kernel takes most requests at once, and the place is used for the next one. What it did not take, or what is being
// encrypted, is kept where it is, and the next one goes behind it.

import { REQUEST_SLAB_BYTES } from '#engine/base/limits.ts';

export class RequestBuffer {
  #slab = Buffer.allocUnsafeSlow(REQUEST_SLAB_BYTES);
  #from = 0;
  #to = 0;

  /** The bytes of a request, good until the next call, or for as long as they are used if `keep` is called before it. */
  put(head: string, body: Uint8Array): Uint8Array {
    const size = head.length + body.length;
    if (size > this.#slab.length - this.#from) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(REQUEST_SLAB_BYTES, size));
      this.#from = 0;
    }
    this.#to = this.#from + size;
    this.#slab.write(head, this.#from, 'latin1');
    this.#slab.set(body, this.#from + head.length);
    return this.#slab.subarray(this.#from, this.#to);
  }

  keep(): void {
    this.#from = this.#to;
  }
}
