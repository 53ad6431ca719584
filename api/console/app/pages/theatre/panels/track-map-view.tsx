// The cars on the track. Its line is on a canvas of its own, which is drawn only when it changes.

import { useEffect, useRef } from 'preact/hooks';
import { colourOf } from '../../../parts/uplot-plot.tsx';
import { text } from '../../../text/text.ts';
import type { Panel } from '../show/fold.ts';
import type { Rgb } from './contrast.ts';
import { Glide } from './glide.ts';
import { type Fit, fitted } from './map-fit.ts';
import type { TrackMap } from './track-map.ts';
import { CHART_MS, useDrawing } from './use-drawing.ts';
import { teamColour, useGround } from './use-ground.ts';

const PADDING_PX = 28;
const TRACK_PX = 7;
const DOT_PX = 6;
/** A car that is further from where it was did not drive there: tenths of a metre. */
const JUMP = 4_000;
/** Canvases with more pixels cost more than they show. */
const PIXEL_RATIO_MAX = 2;
/** Words follow more slowly than dots. */
const WORDS_MS = 4 * CHART_MS;

export function trackMapView(fold: TrackMap): Panel['View'] {
  return function TrackMapView({ theatre }) {
    const place = useDrawing(theatre, () => fold.version, WORDS_MS);
    const ground = useGround();
    const isLearned = fold.learner.outline !== null;
    return (
      <div ref={place} class="stack tight">
        {isLearned ? (
          <Canvases fold={fold} ground={ground} outlineVersion={fold.learner.version} />
        ) : fold.carCount === 0 ? (
          <p class="soft">{text.panels.mapNone}</p>
        ) : (
          <>
            <div class="track-map">
              <p class="soft">{text.panels.mapLearning(fold.carCount)}</p>
            </div>
            <p class="small soft">{text.panels.mapNote}</p>
          </>
        )}
      </div>
    );
  };
}

interface CanvasesProps {
  readonly fold: TrackMap;
  readonly ground: Rgb;
  /** The line is drawn anew when it changes. */
  readonly outlineVersion: number;
}

function Canvases({ fold, ground, outlineVersion }: CanvasesProps) {
  const box = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLCanvasElement>(null);
  const cars = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const drawing = new MapDrawing(fold, box.current!, track.current!, cars.current!, ground);
    return () => drawing.stop();
  }, [fold, ground, outlineVersion]);
  const order = fold.entrants.inOrder().map(({ code }) => code);
  return (
    <>
      <div ref={box} class="track-map" role="img" aria-label={text.panels.mapLabel(fold.carCount, order)}>
        <canvas ref={track} />
        <canvas ref={cars} />
      </div>
      <p class="small soft">{text.panels.mapNote}</p>
    </>
  );
}

/** Draws while the map can be seen and cars move; asks for no frames otherwise than to look for new samples. */
class MapDrawing {
  readonly #fold: TrackMap;
  readonly #box: HTMLElement;
  readonly #track: HTMLCanvasElement;
  readonly #cars: HTMLCanvasElement;
  readonly #ground: Rgb;
  readonly #glides = new Map<string, { readonly glide: Glide; samples: number }>();
  readonly #stillness = matchMedia('(prefers-reduced-motion: reduce)');
  readonly #sizes = new ResizeObserver(() => this.#resize());
  readonly #views = new IntersectionObserver((entries) => this.#seen(entries.at(-1)!.isIntersecting));
  #fit: Fit | null = null;
  #font = '';
  #words = '';
  #halo = '';
  #version = -1;
  #frame = 0;

  constructor(fold: TrackMap, box: HTMLElement, track: HTMLCanvasElement, cars: HTMLCanvasElement, ground: Rgb) {
    this.#fold = fold;
    this.#box = box;
    this.#track = track;
    this.#cars = cars;
    this.#ground = ground;
    this.#sizes.observe(box);
    this.#views.observe(box);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#sizes.disconnect();
    this.#views.disconnect();
  }

  #seen(isSeen: boolean): void {
    cancelAnimationFrame(this.#frame);
    if (isSeen) this.#frame = requestAnimationFrame((nowMs) => this.#draw(nowMs));
  }

  #resize(): void {
    const outline = this.#fold.learner.outline;
    const { clientWidth: width, clientHeight: height } = this.#box;
    if (outline === null || width === 0) return;
    const ratio = Math.min(devicePixelRatio, PIXEL_RATIO_MAX);
    for (const canvas of [this.#track, this.#cars]) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
      canvas.getContext('2d')!.setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.#fit = fitted(outline, { width, height }, PADDING_PX);
    this.#font = `600 12px ${getComputedStyle(this.#box).fontFamily}`;
    this.#words = colourOf('--text', this.#box);
    this.#halo = colourOf('--surface', this.#box);
    const context = this.#track.getContext('2d')!;
    context.beginPath();
    for (const point of outline) {
      const { x, y } = this.#fit(point);
      context.lineTo(x, y);
    }
    context.closePath();
    context.lineJoin = 'round';
    context.lineWidth = TRACK_PX;
    context.strokeStyle = colourOf('--line-strong', this.#box);
    context.stroke();
    this.#version = -1;
  }

  #draw(nowMs: number): void {
    this.#frame = requestAnimationFrame((next) => this.#draw(next));
    const hasNew = this.#version !== this.#fold.version;
    if (hasNew) this.#aim(nowMs);
    const isMoving = [...this.#glides.values()].some(({ glide }) => glide.isMoving(nowMs));
    if (this.#fit === null || (!hasNew && (!isMoving || this.#stillness.matches))) return;
    this.#version = this.#fold.version;
    const context = this.#cars.getContext('2d')!;
    context.clearRect(0, 0, this.#box.clientWidth, this.#box.clientHeight);
    context.font = this.#font;
    context.textBaseline = 'middle';
    context.lineWidth = 3;
    context.strokeStyle = this.#halo;
    // The leader is drawn last, over the others.
    for (const entrant of this.#fold.entrants.inOrder().toReversed()) {
      const moved = this.#glides.get(entrant.number);
      if (moved === undefined) continue;
      const { x, y } = this.#fit(moved.glide.at(this.#stillness.matches ? Number.POSITIVE_INFINITY : nowMs));
      context.beginPath();
      context.arc(x, y, DOT_PX, 0, 2 * Math.PI);
      context.stroke();
      context.fillStyle = teamColour(entrant, this.#ground);
      context.fill();
      context.strokeText(entrant.code, x + DOT_PX + 3, y);
      context.fillStyle = this.#words;
      context.fillText(entrant.code, x + DOT_PX + 3, y);
    }
  }

  #aim(nowMs: number): void {
    const here = new Set<string>();
    for (const { number, x, y, isOnTrack, samples } of this.#fold.cars()) {
      if (!isOnTrack) continue;
      here.add(number);
      const moved = this.#glides.get(number);
      if (moved === undefined) this.#glides.set(number, { glide: new Glide({ x, y }, nowMs), samples });
      else if (moved.samples !== samples) {
        moved.samples = samples;
        moved.glide.aim({ x, y }, nowMs, JUMP);
      }
    }
    for (const number of this.#glides.keys()) if (!here.has(number)) this.#glides.delete(number);
  }
}
