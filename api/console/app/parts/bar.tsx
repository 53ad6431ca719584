// A bar beside the number that it stands for. It is decoration: those who cannot see it miss nothing.

export interface BarProps {
  /** How much of the whole bar is filled, 0 to 1. */
  readonly share: number;
  /** How far the value may be off, on the same scale. */
  readonly span?: { readonly low: number; readonly high: number };
  readonly tone?: 'good' | 'warn' | 'bad';
}

const width = (share: number): string => `${100 * Math.min(1, Math.max(0, share))}%`;

export function Bar({ share, span, tone }: BarProps) {
  return (
    <span class={tone === undefined ? 'bar' : `bar ${tone}`} aria-hidden="true">
      <span class="bar-fill" style={{ width: width(share) }} />
      {span !== undefined && (
        <span class="bar-span" style={{ left: width(span.low), right: width(1 - Math.min(1, span.high)) }} />
      )}
    </span>
  );
}
