// Figures as the pages of endpoints show them.

import { language } from '../../text/text.ts';

/** A time in milliseconds: `0.8 ms`, `240 ms`, `1.5 s`, `2.5 min`. Never broken before its unit. */
export function msText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)}\u00a0ms`;
  if (ms < 1_000) return `${Math.round(ms)}\u00a0ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)}\u00a0s` : `${(ms / 60_000).toFixed(1)}\u00a0min`;
}

/** A share, 0 to 1. Only all of it is 100 %. */
export function percentText(share: number): string {
  const shown = share < 1 ? Math.min(share, 0.999) : 1;
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(shown);
}

/** What is left until a time: `23 h 59 min`, `4 min 20 s`. */
export function leftText(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1_000));
  const [hours, minutes, seconds] = [Math.floor(s / 3_600), Math.floor((s % 3_600) / 60), s % 60];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${seconds} s`;
}

/** JSON with line breaks; other texts as they are. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
