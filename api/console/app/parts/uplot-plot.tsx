// A plot by uPlot, which is loaded when the first one is shown. It follows the width of its place and the theme, and says
// in words what it shows.

import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import { shade } from '../data/theme.ts';
import { language, text } from '../text/text.ts';
import { Button } from './button.tsx';

export interface PlotProps {
  /** What the plot shows, for those who cannot see it. */
  readonly label: string;
  /** uPlot's columns: x, then each series. Seconds for x where it is time. */
  readonly data: uPlot.AlignedData;
  /** Everything but the size. Colours may be the name of a token: `--good`. Must not change. */
  readonly options: Omit<uPlot.Options, 'width' | 'height'>;
  readonly heightPx?: number;
}

export function Plot({ label, data, options, heightPx = 220 }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const latest = useRef(data);
  latest.current = data;
  const seen = shade.value;
  const [isUnloaded, setUnloaded] = useState(false);

  // Drawn anew when the theme's colours change.
  useEffect(() => {
    const host = place.current;
    if (host === null) return;
    let isGone = false;
    const fit = new ResizeObserver(() => drawn.current?.setSize({ width: host.clientWidth, height: heightPx }));
    const draw = (UPlot: typeof uPlot): void => {
      if (isGone) return;
      const size = { width: host.clientWidth, height: heightPx };
      drawn.current = new UPlot({ ...inColours(options, host), ...size }, latest.current, host);
      fit.observe(host);
    };
    void loadPlots().then(draw, () => setUnloaded(true));
    return () => {
      isGone = true;
      fit.disconnect();
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [seen, options, heightPx]);

  useEffect(() => drawn.current?.setData(data), [data]);

  if (isUnloaded) return <Unloaded />;
  // As high as the plot before that is loaded: nothing below moves.
  return <div ref={place} class="plot" style={{ minHeight: `${heightPx}px` }} role="img" aria-label={label} />;
}

/** In place of a plot whose script did not come. It is asked for again with the whole document. */
function Unloaded() {
  return (
    <div class="notice bad" role="alert">
      <p>{text.parts.unloadedHint}</p>
      <div class="row">
        <Button onClick={() => location.reload()}>{text.parts.loadAgain}</Button>
      </div>
    </div>
  );
}

/**
 * uPlot takes the language of its numbers from the browser as soon as it is loaded, and fails where that is no language
 * tag (`en-US@posix`). It is given that of the page.
 */
async function loadPlots(): Promise<typeof uPlot> {
  Object.defineProperty(navigator, 'language', { value: language, configurable: true });
  try {
    return (await import('uplot')).default;
  } finally {
    Reflect.deleteProperty(navigator, 'language');
  }
}

/** Replaces names of tokens by their colours: a canvas knows no custom properties. */
function inColours(options: PlotProps['options'], host: HTMLElement): PlotProps['options'] {
  const colour = (name: string): string => colourOf(name, host);
  const shown = (value: unknown): unknown =>
    typeof value === 'string' && value.startsWith('--') ? colour(value) : value;
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { stroke: colour('--line') },
  };
  return {
    ...options,
    axes: (options.axes ?? [{}, {}]).map((own) => ({ ...axis, ...own })),
    series: options.series.map((own) => ({
      ...own,
      ...('stroke' in own && { stroke: shown(own.stroke) as string }),
      ...('fill' in own && { fill: shown(own.fill) as string }),
    })),
  };
}

/** The colour of a token in the present theme, for canvases. */
export function colourOf(token: string, host: HTMLElement): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
