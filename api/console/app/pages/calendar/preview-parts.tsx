// The parts of a full preview: chances in race and qualifying, strategy, circuit, championship. Each is a table or a list
// of figures; bars only decorate them.

import type { ComponentChildren } from 'preact';
import type { Preview } from '#api/client/calls.ts';
import { Bar } from '../../parts/bar.tsx';
import { text } from '../../text/text.ts';
import { percent, placeOf, type Quartiles, scaleOf, spanOf } from './chances.ts';

const t = text.calendar;

type Of<Key extends keyof Preview> = NonNullable<Preview[Key]>;

interface DriverProps {
  readonly name: string;
  readonly team: string;
}

function DriverHead({ name, team }: DriverProps) {
  return (
    <th scope="row">
      {name}
      <div class="small soft">{team}</div>
    </th>
  );
}

interface GridProps {
  readonly caption: string;
  /** Heads of the columns; figures are on the right. */
  readonly heads: readonly { readonly label: string; readonly figures?: boolean }[];
  readonly children: ComponentChildren;
}

function Grid({ caption, heads, children }: GridProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-scroll" tabIndex={0} aria-label={caption}>
      <table class="table">
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map(({ label, figures }) => (
              <th key={label} scope="col" class={figures === true ? 'number' : undefined}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

const figure = (label: string) => ({ label, figures: true });

export function RacePart({ preview, chances }: { readonly preview: Preview; readonly chances: Of<'winProbability'> }) {
  const spans = chances.map(({ win }) =>
    spanOf(win, preview.generatedFrom.simulations, preview.model.quality.calibrationError),
  );
  const scale = scaleOf(spans.map(({ high }) => high));
  return (
    <div class="stack tight">
      <Grid
        caption={preview.type.endsWith('Qualifying') ? t.raceCaptionAhead : t.raceCaption}
        heads={[
          { label: t.driver },
          figure(t.grid),
          { label: t.win },
          { label: t.range },
          figure(t.podium),
          figure(t.points),
          figure(t.retirement),
          figure(t.expectedPlace),
          figure(t.expectedPoints),
        ]}
      >
        {chances.map((each, at) => {
          const { low, high } = spans[at]!;
          return (
            <tr key={each.driver}>
              <DriverHead {...each} />
              <td class="number">{each.gridPosition ?? '–'}</td>
              <td class="bar-cell">
                {percent(each.win)}
                <Bar share={each.win / scale} span={{ low: low / scale, high: high / scale }} />
              </td>
              <td class="small soft nowrap">{t.within(percent(low), percent(high))}</td>
              <td class="number">{percent(each.podium)}</td>
              <td class="number">{percent(each.points)}</td>
              <td class="number">{percent(each.retirement)}</td>
              <td class="number">{each.expectedPosition.toFixed(1)}</td>
              <td class="number">{each.expectedPoints.toFixed(1)}</td>
            </tr>
          );
        })}
      </Grid>
      <p class="small soft">{t.barNote(percent(scale))}</p>
    </div>
  );
}

export function QualifyingPart({ chances }: { readonly chances: Of<'qualifyingProbability'> }) {
  const scale = scaleOf(chances.map(({ pole }) => pole));
  return (
    <div class="stack tight">
      <Grid
        caption={t.qualifyingCaption}
        heads={[{ label: t.driver }, { label: t.pole }, figure(t.topThree), figure(t.topTen), figure(t.expectedPlace)]}
      >
        {chances.map((each) => (
          <tr key={each.driver}>
            <DriverHead {...each} />
            <td class="bar-cell">
              {percent(each.pole)}
              <Bar share={each.pole / scale} />
            </td>
            <td class="number">{percent(each.topThree)}</td>
            <td class="number">{percent(each.topTen)}</td>
            <td class="number">{each.expectedPosition.toFixed(1)}</td>
          </tr>
        ))}
      </Grid>
      <p class="small soft">
        {t.barNotePlain(percent(scale))} {t.qualifyingNote}
      </p>
    </div>
  );
}

export function StrategyPart({ strategy }: { readonly strategy: Of<'expectedStrategy'> }) {
  const { stops, meanStops, firstStopLap, pitLaneSeconds, compoundsReason, basis } = strategy;
  return (
    <div class="stack">
      <Grid caption={t.stopsCaption} heads={[{ label: t.stopsHead }, { label: t.chance }]}>
        {stops.map(({ stops: count, probability }, at) => (
          <tr key={count}>
            <th scope="row">{t.stops(count, at === stops.length - 1)}</th>
            <td class="wide-bar-cell">
              {percent(probability)}
              <Bar share={probability} />
            </td>
          </tr>
        ))}
      </Grid>
      <div class="cards">
        <RangeCard title={t.firstStop} range={firstStopLap} say={(lap) => t.lap(lap.toFixed(0))} />
        <RangeCard title={t.pitLane} range={pitLaneSeconds} say={(seconds) => t.seconds(seconds.toFixed(1))} />
      </div>
      <p class="small soft">
        {t.meanStops(meanStops.toFixed(1))} {t.basis(basis.races, basis.circuitRaces, basis.stops)}{' '}
        {t.compounds(compoundsReason)}
      </p>
    </div>
  );
}

interface RangeCardProps {
  readonly title: string;
  readonly range: Quartiles | null;
  readonly say: (value: number) => string;
}

/** The middle half of the values, as words and as a line. */
function RangeCard({ title, range, say }: RangeCardProps) {
  if (range === null) {
    return (
      <section class="card">
        <h3>{title}</h3>
        <p class="soft">{t.notKnown}</p>
      </section>
    );
  }
  const place = placeOf(range);
  return (
    <section class="card">
      <h3>{title}</h3>
      <strong class="season-figure">{say(range.median)}</strong>
      <Bar share={0} span={{ low: place.lower, high: place.upper }} />
      <p class="small soft">{t.quartiles(say(range.lower), say(range.median), say(range.upper))}</p>
    </section>
  );
}

export function CircuitPart({ circuit }: { readonly circuit: Of<'circuitIntelligence'> }) {
  const { overtakingDifficulty: overtaking, poleToWin, safetyCar, retirements } = circuit;
  return (
    <div class="cards four">
      <ShareCard
        title={t.overtaking}
        share={overtaking.value}
        shown={t.overtakingValue((100 * overtaking.value).toFixed(0))}
        hint={t.overtakingHint(overtaking.meanPlacesMoved.toFixed(1), overtaking.races)}
      />
      <ShareCard
        title={t.poleToWin}
        share={poleToWin.rate}
        shown={percent(poleToWin.rate)}
        hint={t.counted(poleToWin.count, poleToWin.races)}
      />
      <ShareCard
        title={t.safetyCar}
        share={safetyCar.rate}
        shown={percent(safetyCar.rate)}
        hint={t.countedSafetyCar(safetyCar.count, safetyCar.races)}
      />
      <ShareCard
        title={t.retirements}
        share={retirements.rate}
        shown={percent(retirements.rate)}
        hint={t.counted(retirements.count, retirements.starts)}
      />
    </div>
  );
}

interface ShareCardProps {
  readonly title: string;
  readonly share: number;
  readonly shown: string;
  readonly hint: string;
}

function ShareCard({ title, share, shown, hint }: ShareCardProps) {
  return (
    <section class="card">
      <h3>{title}</h3>
      <strong class="season-figure">{shown}</strong>
      <Bar share={share} />
      <p class="small soft">{hint}</p>
    </section>
  );
}

export function FormPart({ form }: { readonly form: Of<'championshipForm'> }) {
  const { drivers, constructors, racesLeft, sprintsLeft } = form;
  return (
    <div class="stack">
      <p class="small soft">{t.left(racesLeft, sprintsLeft)}</p>
      <Grid
        caption={t.driversCaption}
        heads={[
          figure(t.place),
          { label: t.driver },
          figure(t.points),
          { label: t.championshipTitle },
          { label: t.latest },
        ]}
      >
        {drivers.map((each) => (
          <tr key={each.driver}>
            <td class="number">{each.position ?? '–'}</td>
            <DriverHead {...each} />
            <td class="number">{each.points}</td>
            <td class="bar-cell">
              {percent(each.titleProbability)}
              <Bar share={each.titleProbability} />
            </td>
            <td class="nowrap">
              {each.latest.length === 0
                ? t.latestNone
                : each.latest.map(({ position }) => position ?? t.notClassified).join(' · ')}
            </td>
          </tr>
        ))}
      </Grid>
      <Grid
        caption={t.constructorsCaption}
        heads={[figure(t.place), { label: t.team }, figure(t.points), { label: t.championshipTitle }]}
      >
        {constructors.map(({ team, position, points, titleProbability }) => (
          <tr key={team}>
            <td class="number">{position ?? '–'}</td>
            <th scope="row">{team}</th>
            <td class="number">{points}</td>
            <td class="bar-cell">
              {percent(titleProbability)}
              <Bar share={titleProbability} />
            </td>
          </tr>
        ))}
      </Grid>
    </div>
  );
}
