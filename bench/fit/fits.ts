// The fits, by name.

import type { Fit } from './fit.ts';
import { PREVIEWS_FIT } from './previews.ts';

export const FITS: Readonly<Record<string, Fit>> = { previews: PREVIEWS_FIT };
