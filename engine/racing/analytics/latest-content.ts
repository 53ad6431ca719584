// What a model said last, so that it says nothing twice.

import type { Content } from '#engine/racing/normalise/normaliser.ts';

export class LatestContent {
  #latest: Content | null = null;

  /** The content, or null when it is what was said last. */
  ifChanged(content: Content): Content | null {
    if (isSame(content, this.#latest)) return null;
    this.#latest = content;
    return content;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => isSame(one[key as keyof typeof one], other[key as keyof typeof other]));
}
