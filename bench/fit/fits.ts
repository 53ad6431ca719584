// The fits, by name.

import type { Fit } from './fit.ts';
import { PREVIEWS_FIT } from './previews.ts';
import { QUALIFYING_FIT } from './qualifying-fit.ts';

export const FITS: Readonly<Record<string, Fit>> = { previews: PREVIEWS_FIT, qualifying: QUALIFYING_FIT };
