// The preview of one session: who is likely to win, how sure that is, and how good the model was in past races.

import { useState } from 'preact/hooks';
import type { Preview as PreviewAnswer } from '#api/client/calls.ts';
import { to } from '../../address.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { Bar } from '../../parts/bar.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { language, text } from '../../text/text.ts';
import { percent, scaleOf, spanOf } from './chances.ts';
import { ModelQuality } from './model-quality.tsx';
import { CircuitPart, FormPart, QualifyingPart, RacePart, StrategyPart } from './preview-parts.tsx';
import { utcText } from './season.ts';

const t = text.calendar;
const numbers = new Intl.NumberFormat(language);

export function Preview({ id }: { readonly id: string }) {
  const load = useLoad((signal) => service.getPreview({ sessionId: id }, { signal }), [id]);
  const title = load.kind === 'ready' ? t.previewOf(load.value.name, load.value.type) : t.previewTitle;
  const isMissing = load.kind === 'failed' && load.error.status === 404;
  return (
    <Page title={title} actions={<LinkButton path="/console/calendar">{t.toCalendar}</LinkButton>}>
      {isMissing ? <NoPreview /> : <Loaded load={load}>{(preview) => <Shown preview={preview} />}</Loaded>}
    </Page>
  );
}

function NoPreview() {
  return (
    <Empty title={t.previewNone}>
      <p>{t.previewHint}</p>
    </Empty>
  );
}

function Shown({ preview }: { readonly preview: PreviewAnswer }) {
  const { circuitName, startDate, message, generatedFrom: made, status } = preview;
  return (
    <>
      <div class="stack tight">
        <div class="row">
          <span>{circuitName}</span>
          {startDate !== null && (
            <span>
              <Time at={startDate} /> <span class="small soft">{utcText(startDate)}</span>
            </span>
          )}
          {status !== null && <span class="badge">{t.states[status]}</span>}
        </div>
        <p class="small soft">
          {made.gridFrom === 'qualifying' ? t.gridQualifying : made.gridKnown ? t.gridKnown : t.gridUnknown}{' '}
          {t.simulations(numbers.format(made.simulations))}{' '}
          {made.learntTo !== null && <LearntTo eventId={made.learntTo} />}
        </p>
        {message !== null && <p class="small soft">{message}</p>}
      </div>
      <div class="cards preview-head">
        <Headline preview={preview} />
        <ModelQuality model={preview.model} />
      </div>
      {preview.view === 'full' ? <Parts preview={preview} /> : <MoreThereIs />}
      <p class="small soft">{preview.attribution}</p>
    </>
  );
}

/** The event under its name; without one, if no calendar has it. */
function LearntTo({ eventId }: { readonly eventId: string }) {
  const season = Number(eventId.slice(0, 4));
  const load = useLoad((signal) => service.listEvents({ season }, { signal }), [season]);
  if (load.kind === 'loading') return null;
  const events = load.kind === 'ready' ? load.value.events : [];
  return <>{t.learntTo(events.find((event) => event.eventId === eventId)?.name ?? eventId, season)}</>;
}

function Headline({ preview: { headline, generatedFrom, model } }: { readonly preview: PreviewAnswer }) {
  const { winners, poleFavourite: pole } = headline;
  const chances = winners.map(({ win }) => ({
    win,
    span: spanOf(win, generatedFrom.simulations, model.quality.calibrationError),
  }));
  const scale = scaleOf([...chances.map(({ span }) => span.high), pole?.pole ?? 0]);
  return (
    <section class="card">
      <h2>{t.headline}</h2>
      <div class="table-scroll">
        <table class="table">
          <caption>{t.winners}</caption>
          <thead class="sr-only">
            <tr>
              <th scope="col">{t.driver}</th>
              <th scope="col">{t.win}</th>
              <th scope="col">{t.range}</th>
            </tr>
          </thead>
          <tbody>
            {winners.map(({ driver, name, team }, at) => {
              const { win, span } = chances[at]!;
              return (
                <tr key={driver}>
                  <th scope="row">
                    {name}
                    <div class="small soft">{team}</div>
                  </th>
                  <td class="bar-cell">
                    {percent(win)}
                    <Bar share={win / scale} span={{ low: span.low / scale, high: span.high / scale }} />
                  </td>
                  <td class="small soft">{t.within(percent(span.low), percent(span.high))}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="small soft">{t.barNote(percent(scale))}</p>
      <h3>{t.poleFavourite}</h3>
      {pole === null ? (
        <p class="soft">{t.poleNone}</p>
      ) : (
        <p>
          {pole.name} <span class="small soft">{pole.team}</span> {percent(pole.pole)}
        </p>
      )}
    </section>
  );
}

function MoreThereIs() {
  return (
    <section class="notice warn">
      <strong>{t.moreTitle}</strong>
      <ul class="season-list">
        {t.more.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
      <a href={to('/console/usage#plans')}>{t.seePlans}</a>
    </section>
  );
}

type PartName = 'race' | 'qualifying' | 'strategy' | 'circuit' | 'championship';

const PARTS: readonly PartName[] = ['race', 'qualifying', 'strategy', 'circuit', 'championship'];

function Parts({ preview }: { readonly preview: PreviewAnswer }) {
  const [chosen, setChosen] = useState<PartName>(preview.type.endsWith('Qualifying') ? 'qualifying' : 'race');
  return (
    <Tabs label={t.parts} tabs={PARTS.map((name) => ({ name, label: t[name] }))} chosen={chosen} onChoose={setChosen}>
      <Part name={chosen} preview={preview} />
    </Tabs>
  );
}

function Part({ name, preview }: { readonly name: PartName; readonly preview: PreviewAnswer }) {
  switch (name) {
    case 'race':
      return preview.winProbability && <RacePart preview={preview} chances={preview.winProbability} />;
    case 'qualifying':
      return preview.qualifyingProbability && <QualifyingPart chances={preview.qualifyingProbability} />;
    case 'strategy':
      return preview.expectedStrategy && <StrategyPart strategy={preview.expectedStrategy} />;
    case 'circuit':
      return preview.circuitIntelligence && <CircuitPart circuit={preview.circuitIntelligence} />;
    case 'championship':
      return preview.championshipForm && <FormPart form={preview.championshipForm} />;
  }
}
