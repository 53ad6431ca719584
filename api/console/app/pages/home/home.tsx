// What is going on: the next session, what is live, the month's deliveries, the endpoints and what failed.

import type { ListEventsAnswer, WebhookEndpoint } from '#api/client/calls.ts';
import { to } from '../../address.ts';
import { signIn } from '../../data/account.ts';
import { monthUse } from '../../data/month.ts';
import { service } from '../../data/service.ts';
import { useLoad } from '../../data/use-load.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Countdown } from '../../parts/countdown.tsx';
import { Empty, Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { language, text } from '../../text/text.ts';
import { livePath } from '../theatre/replay-address.ts';

const ENDPOINTS_SHOWN_MAX = 100;
const FAILURES_SHOWN_MAX = 5;
const REFRESH_MS = 15_000;

export function Home() {
  const account = signIn.value.kind === 'in' ? signIn.value.account : null;
  const endpoints = useLoad((signal) => service.listWebhooks({ limit: ENDPOINTS_SHOWN_MAX }, { signal }), [], {
    everyMs: REFRESH_MS,
  });
  return (
    <Page title={account?.name == null ? text.home.title : text.home.hello(account.name)}>
      <Loaded load={endpoints}>
        {({ endpoints: shown, total }) => (
          <>
            <FirstSteps endpoints={shown} />
            <div class="cards home-cards">
              <NextSession />
              <Month />
              <Health endpoints={shown} total={total} />
              <Failures endpoints={shown} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Step = keyof typeof text.home.steps;

/** Gone once all are done. */
function FirstSteps({ endpoints }: { readonly endpoints: readonly WebhookEndpoint[] }) {
  const load = useLoad(
    async (signal) => {
      const [usage, runs] = await Promise.all([
        service.getUsage({ signal }),
        service.listRuns({ limit: 1 }, { signal }),
      ]);
      return { delivered: usage.successCount > 0, replayed: runs.total > 0 };
    },
    [],
    { everyMs: REFRESH_MS },
  );
  if (load.kind !== 'ready') return null;
  const { delivered, replayed } = load.value;
  const steps: readonly (readonly [Step, boolean])[] = [
    ['endpoint', endpoints.length > 0],
    ['replay', replayed],
    ['delivery', delivered],
  ];
  const done = steps.filter(([, isDone]) => isDone).length;
  if (done === steps.length) return null;
  return (
    <section class="card">
      <div class="row apart">
        <h2>{text.home.stepsTitle}</h2>
        <span class="badge">{text.home.stepsDone(done, steps.length)}</span>
      </div>
      <ol class="steps">
        {steps.map(([step, isDone]) => {
          const [title, detail] = text.home.steps[step];
          return (
            <li key={step} class={isDone ? 'done' : ''}>
              <span class="steps-mark" role="img" aria-label={isDone ? text.home.done : text.home.open}>
                {isDone ? '✓' : ''}
              </span>
              <div>
                {isDone ? <strong>{title}</strong> : <a href={to(text.home.stepTo[step])}>{title}</a>}
                <p class="small soft">{detail}</p>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function NextSession() {
  const load = useLoad((signal) => service.listEvents({}, { signal }), [], { everyMs: 60_000 });
  return (
    <section class="card">
      <h2>{text.home.nextTitle}</h2>
      <Loaded load={load}>{({ events }) => <Sessions events={events} />}</Loaded>
      <div class="row">
        <LinkButton small path="/console/calendar">
          {text.home.calendar}
        </LinkButton>
      </div>
    </section>
  );
}

function Sessions({ events }: { readonly events: ListEventsAnswer['events'] }) {
  const sessions = events.flatMap((event) => event.sessions.map((session) => ({ event, session })));
  const live = sessions.filter(({ session }) => session.status === 'live');
  const next = sessions
    .filter(({ session }) => session.status === 'upcoming')
    .sort((a, b) => Date.parse(a.session.startDate) - Date.parse(b.session.startDate))[0];
  if (live.length === 0 && next === undefined) return <p class="soft">{text.home.nextNone}</p>;
  return (
    <>
      {live.map(({ event, session }) => (
        <div class="row apart" key={session.sessionId}>
          <span>
            <span class="badge bad">{text.home.live}</span> {event.name}, {session.type}
          </span>
          <LinkButton small kind="primary" path={livePath(session.sessionId)}>
            {text.home.watch}
          </LinkButton>
        </div>
      ))}
      {next !== undefined && (
        <div class="stack tight">
          <strong>
            {next.event.name}, {next.session.type}
          </strong>
          <span class="home-countdown">
            <Countdown at={next.session.startDate} say={text.home.nextIn} />
          </span>
          <span class="soft">
            {next.event.circuitName}, <Time at={next.session.startDate} />
          </span>
        </div>
      )}
    </>
  );
}

const numbers = new Intl.NumberFormat(language);

function Month() {
  const load = useLoad((signal) => service.getUsage({ signal }), [], { everyMs: REFRESH_MS });
  const past = signIn.value.kind === 'in' ? signIn.value.account.terms.past : 'skipped';
  return (
    <section class="card">
      <h2>{text.home.bucketTitle}</h2>
      <Loaded load={load}>
        {(usage) => {
          const demo = usage.demoDeliveryCount + usage.demoStreamedCount;
          const counted = usage.deliveryCount + usage.streamedCount - demo;
          const use = monthUse(counted, usage.includedDeliveries, usage.windowStart, Date.now());
          const used = numbers.format(use.used);
          return (
            <div class="stack tight">
              <strong>
                {use.limit === null ? text.home.bucketAll(used) : text.home.bucketOf(used, numbers.format(use.limit))}
              </strong>
              {use.share !== null && (
                <span class="progress" aria-hidden="true">
                  <span style={{ width: `${use.share * 100}%` }} />
                </span>
              )}
              {use.forecast !== null && (
                <span class="soft">{text.home.bucketForecast(numbers.format(use.forecast))}</span>
              )}
              {use.limit !== null && use.forecast !== null && use.forecast > use.limit && (
                <span class="badge warn home-warning">
                  {past === 'billed' ? text.home.bucketBills : text.home.bucketSkips}
                </span>
              )}
            </div>
          );
        }}
      </Loaded>
      <div class="row">
        <LinkButton small path="/console/usage">
          {text.home.usage}
        </LinkButton>
      </div>
    </section>
  );
}

type ShownState = keyof typeof text.home.states;

const TONES: Readonly<Record<ShownState, string>> = {
  healthy: 'good',
  failing: 'bad',
  paused_for_run: 'warn',
  off: '',
  suspended: 'warn',
};

function stateOf({ active, suspended, health }: WebhookEndpoint): ShownState {
  if (suspended !== null) return 'suspended';
  return active ? health.state : 'off';
}

function Health({ endpoints, total }: { readonly endpoints: readonly WebhookEndpoint[]; readonly total: number }) {
  const counts = new Map<ShownState, number>();
  for (const endpoint of endpoints) counts.set(stateOf(endpoint), (counts.get(stateOf(endpoint)) ?? 0) + 1);
  return (
    <section class="card">
      <h2>
        {text.home.healthTitle} <span class="soft">{numbers.format(total)}</span>
      </h2>
      {total === 0 ? (
        <Empty title={text.home.healthNone}>
          <LinkButton kind="primary" path="/console/endpoints">
            {text.home.healthMake}
          </LinkButton>
        </Empty>
      ) : (
        <>
          <div class="row">
            {[...counts].map(([state, count]) => (
              <span key={state} class={`badge ${TONES[state]}`}>
                {numbers.format(count)} {text.home.states[state]}
              </span>
            ))}
          </div>
          <div class="row">
            <LinkButton small path="/console/endpoints">
              {text.home.endpoints}
            </LinkButton>
          </div>
        </>
      )}
    </section>
  );
}

const CODES: Readonly<Record<string, string>> = text.endpoints.codes;

function Failures({ endpoints }: { readonly endpoints: readonly WebhookEndpoint[] }) {
  const failures = endpoints
    .flatMap((endpoint) =>
      endpoint.health.lastFailure === null ? [] : [{ endpoint, last: endpoint.health.lastFailure }],
    )
    .sort((a, b) => Date.parse(b.last.at) - Date.parse(a.last.at))
    .slice(0, FAILURES_SHOWN_MAX);
  return (
    <section class="card">
      <h2>{text.home.failuresTitle}</h2>
      {failures.length === 0 && <p class="soft">{text.home.failuresNone}</p>}
      <ul class="plain-list">
        {failures.map(({ endpoint, last }) => (
          <li key={endpoint.webhookId}>
            <a href={to(`/console/endpoints/${endpoint.webhookId}`)}>{endpoint.description || endpoint.webhookUrl}</a>
            <div class="small">
              {text.home.failure(CODES[last.code] ?? last.code, last.statusCode)}, <Time at={last.at} />
            </div>
            {endpoint.health.missedUpdates > 0 && (
              <div class="small">{text.home.missed(numbers.format(endpoint.health.missedUpdates))}</div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
