// Fantasy scores of a race or sprint, as it runs or afterwards, and its stops from the fastest to the slowest.

import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { to } from '../../address.ts';
import { signIn } from '../../data/account.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { text } from '../../text/text.ts';
import { PitStops } from './pit-stops.tsx';
import { recordedSessions } from './recorded-sessions.ts';
import { LiveScores, RaceScores } from './score-tables.tsx';
import { type Choice, choicesOf, firstOf, keyOf, LINES } from './scores.ts';
import { fantasyPath, type Scored } from './season.ts';

const t = text.calendar;
const CHOICES_REFRESH_MS = 60_000;

export function Fantasy() {
  const state = signIn.value;
  const included = state.kind === 'in' && state.account.terms.fantasy;
  return <Page title={t.fantasyTitle}>{included ? <Chosen /> : <NotInPlan />}</Page>;
}

function NotInPlan() {
  return (
    <section class="notice warn">
      <h2>{t.planTitle}</h2>
      <p>{t.planLead}</p>
      <ul class="season-list">
        {t.planPoints.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <p>{t.planBreakdown}</p>
      <ul class="season-list">
        {LINES.map((line) => (
          <li key={line}>{t.linesLong[line]}</li>
        ))}
      </ul>
      <LinkButton kind="primary" path="/console/usage#plans">
        {t.seePlans}
      </LinkButton>
    </section>
  );
}

function Chosen() {
  const { query, route } = useLocation();
  const asked: Scored | null =
    query.race === undefined || query.race === ''
      ? null
      : { raceId: query.race, kind: query.session === 'sprint' ? 'sprint' : 'race' };
  const load = useLoad(
    async (signal) => {
      const [{ events }, recorded] = await Promise.all([service.listEvents({}, { signal }), recordedSessions(signal)]);
      return { events, recorded };
    },
    [],
    { everyMs: CHOICES_REFRESH_MS },
  );
  return (
    <Loaded load={load}>
      {({ events, recorded }) => {
        const choices = choicesOf(events, recorded, asked);
        const chosen =
          asked === null
            ? firstOf(choices, recorded)
            : (choices.find((choice) => keyOf(choice) === keyOf(asked)) ?? null);
        if (choices.length === 0) {
          return (
            <Empty title={t.fantasyEmpty}>
              <p>{t.fantasyEmptyHint}</p>
              <LinkButton path="/console/calendar">{t.toCalendar}</LinkButton>
            </Empty>
          );
        }
        return (
          <>
            <div class="narrow">
              <Field label={t.chooseRace}>
                {(tied) => (
                  <select
                    {...tied}
                    value={chosen === null ? '' : keyOf(chosen)}
                    onChange={(event) => {
                      const choice = choices.find((each) => keyOf(each) === event.currentTarget.value);
                      if (choice !== undefined) route(to(fantasyPath(choice)));
                    }}
                  >
                    {chosen === null && <option value="">{t.chooseFirst}</option>}
                    {choices.map((choice) => (
                      <option key={keyOf(choice)} value={keyOf(choice)}>
                        {t.option(choice.name, choice.kind, choice.live)}
                      </option>
                    ))}
                  </select>
                )}
              </Field>
            </div>
            {chosen !== null && <Race key={keyOf(chosen)} choice={chosen} />}
          </>
        );
      }}
    </Loaded>
  );
}

type Part = 'scores' | 'pitStops';

function Race({ choice }: { readonly choice: Choice }) {
  const [part, setPart] = useState<Part>('scores');
  return (
    <Tabs
      label={t.fantasyParts}
      tabs={[
        { name: 'scores', label: t.scores },
        { name: 'pitStops', label: t.pitStops },
      ]}
      chosen={part}
      onChoose={setPart}
    >
      {part === 'pitStops' ? (
        <PitStops choice={choice} />
      ) : choice.live ? (
        <LiveScores choice={choice} />
      ) : (
        <RaceScores choice={choice} />
      )}
    </Tabs>
  );
}
