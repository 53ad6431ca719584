// A measured number with its unit, as text.

import type { Measurement } from './result.ts';
import { formatValue } from './result-text.ts';

export function figure(value: number, unit: Measurement['unit']): string {
  if (unit === 'share' || unit === 'count') return formatValue(value);
  return unit === '/s' ? `${formatValue(value)}/s` : `${formatValue(value)} ${unit}`;
}
