// The colour that panels are drawn on, for colours that data brings.

import { useEffect, useState } from 'preact/hooks';
import { shade } from '../../../data/theme.ts';
import { colourOf } from '../../../parts/uplot-plot.tsx';
import { cssOf, type Rgb, rgbOf, visibleOn } from './contrast.ts';
import type { Entrant } from './entrants.ts';

/** For drivers without a team colour. */
const NO_COLOUR = '808890';

/** Follows the theme. */
export function useGround(): Rgb {
  const seen = shade.value;
  const [ground, setGround] = useState<Rgb>(measured);
  useEffect(() => setGround(measured), [seen]);
  return ground;
}

/** The team's colour, as it can be seen on this ground. */
export function teamColour({ colour }: Entrant, ground: Rgb): string {
  return cssOf(visibleOn(ground, rgbOf(colour ?? NO_COLOUR)));
}

function measured(): Rgb {
  const parts = colourOf('--surface', document.body).match(/\d+/g) ?? [];
  return [Number(parts[0]), Number(parts[1]), Number(parts[2])];
}
