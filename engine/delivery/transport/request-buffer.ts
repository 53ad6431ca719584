// Memory in which requests are assembled, head and body in one piece, so that each goes to the kernel in one write.
//
// The kernel takes most requests at once, and the next one reuses the same memory. A request that it did not take
// completely, or that is still being encrypted, keeps its memory, and the next one goes behind it.

import { REQUEST_SLAB_BYTES } from '#engine/base/limits.ts';

export class RequestBuffer {
  #slab = Buffer.allocUnsafeSlow(REQUEST_SLAB_BYTES);
  #from = 0;
  #to = 0;

  /**
   * Returns the bytes of a request. They are valid until the next `put`, or for good if `keep` is called before that.
   */
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
