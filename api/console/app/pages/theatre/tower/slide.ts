// Rows that change places slide there. A row is laid out in its new place at once, and an animation takes it there from its
// old one: by how many rows is known from the order, so nothing is measured, and only transforms move.

/** Slides a row from so many pixels away. Slides that are still under way add up. */
export function slide(row: HTMLElement, fromPx: number, durationMs: number): void {
  row.animate([{ transform: `translateY(${fromPx}px)` }, { transform: 'translateY(0)' }], {
    duration: durationMs,
    easing: 'cubic-bezier(0.2, 0, 0, 1)',
    composite: 'add',
  });
}

/** The duration that a token has at present: 0 where motion is not wanted. */
export function durationOf(token: string): number {
  const text = getComputedStyle(document.documentElement).getPropertyValue(token).trim();
  const value = Number.parseFloat(text);
  if (Number.isNaN(value)) return 0;
  return text.endsWith('ms') ? value : value * 1000;
}
