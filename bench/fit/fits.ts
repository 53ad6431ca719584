// The fits, by name.

import type { Fit } from './fit.ts';

export const FITS: Readonly<Record<string, Fit>> = {};
