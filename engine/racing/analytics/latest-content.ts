// Suppresses repeats: keeps the content that a model emitted last.

import type { Content } from '#engine/racing/normalise/normaliser.ts';

export class LatestContent {
  #latest: Content | null = null;

  /** Returns the content, or null when it equals the latest one. */
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
