// The fits, by name.

import { BATTLE_FIT } from './battle-fit.ts';
import type { Fit } from './fit.ts';
import { MARGIN_FIT } from './margin-fit.ts';
import { NEXT_TIRES_FIT } from './next-tires-fit.ts';
import { ODDS_FIT } from './odds-fit.ts';
import { PIT_LOSS_FIT } from './pit-loss-fit.ts';
import { PREVIEWS_FIT } from './previews.ts';
import { QUALIFYING_FIT } from './qualifying-fit.ts';
import { SECTORS_FIT } from './sectors-fit.ts';
import { STOPS_FIT } from './stops-fit.ts';
import { TIRE_WEAR_FIT } from './tire-wear-fit.ts';
import { TRUE_PACE_FIT } from './true-pace-fit.ts';

export const FITS: Readonly<Record<string, Fit>> = {
  battle: BATTLE_FIT,
  'pit-loss': PIT_LOSS_FIT,
  margin: MARGIN_FIT,
  'next-tires': NEXT_TIRES_FIT,
  odds: ODDS_FIT,
  previews: PREVIEWS_FIT,
  qualifying: QUALIFYING_FIT,
  sectors: SECTORS_FIT,
  stops: STOPS_FIT,
  'tire-wear': TIRE_WEAR_FIT,
  'true-pace': TRUE_PACE_FIT,
};
