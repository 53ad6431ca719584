// Times as the upstream writes them.

/** `1:02.345`, or `45.678` below a minute. */
export function lapText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = (seconds - 60 * minutes).toFixed(3);
  return minutes === 0 ? rest : `${minutes}:${rest.padStart(6, '0')}`;
}

/** `+1.234` */
export function gapText(seconds: number): string {
  return `+${seconds.toFixed(3)}`;
}
