// What is going on: the next session, what is live, the month's deliveries, the endpoints and what failed.

import type { GetUsageAnswer, WebhookEndpoint } from '#api/client/calls.ts';
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
import { nextOf, sessionName } from '../calendar/season.ts';
import { livePath } from '../theatre/replay-address.ts';
import { loadPresent, type Present } from '../theatre/sessions/session-list.ts';

const ENDPOINTS_SHOWN_MAX = 100;
const FAILURES_SHOWN_MAX = 5;
const REFRESH_MS = 15_000;

export function Home() {
  const account = signIn.value.kind === 'in' ? signIn.value.account : null;
  // Together, so that nothing is pushed down by what comes later.
  const load = useLoad(
    async (signal) => {
      const [webhooks, usage, runs] = await Promise.all([
        service.listWebhooks({ limit: ENDPOINTS_SHOWN_MAX }, { signal }),
        service.getUsage({ signal }),
        service.listRuns({ limit: 1 }, { signal }),
      ]);
      return { ...webhooks, usage, hasReplayed: runs.total > 0 };
    },
    [],
    { everyMs: REFRESH_MS },
  );
  return (
    <Page title={account?.name == null ? text.home.title : text.home.hello(account.name)}>
      <Loaded load={load}>
        {({ endpoints, total, usage, hasReplayed }) => (
          <>
            <FirstSteps hasEndpoint={total > 0} hasReplayed={hasReplayed} hasDelivered={usage.successCount > 0} />
            <div class="cards home-cards">
              <NextSession />
              <Month usage={usage} />
              <Health endpoints={endpoints} total={total} />
              <Failures endpoints={endpoints} total={total} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

type Step = keyof typeof text.home.steps;

interface FirstStepsProps {
  readonly hasEndpoint: boolean;
  readonly hasReplayed: boolean;
  readonly hasDelivered: boolean;
}

/** Gone once all are done. */
function FirstSteps({ hasEndpoint, hasReplayed, hasDelivered }: FirstStepsProps) {
  const steps: readonly (readonly [Step, boolean])[] = [
    ['endpoint', hasEndpoint],
    ['replay', hasReplayed],
    ['delivery', hasDelivered],
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
  const load = useLoad(loadPresent, [], { everyMs: 60_000 });
  return (
    <section class="card">
      <h2>{text.home.nextTitle}</h2>
      <Loaded load={load}>{(present) => <Sessions present={present} />}</Loaded>
      <div class="row">
        <LinkButton small path="/console/calendar">
          {text.home.calendar}
        </LinkButton>
      </div>
    </section>
  );
}

function Sessions({ present: { events, live } }: { readonly present: Present }) {
  const next = nextOf(events);
  if (live.length === 0 && next === null) return <p class="soft">{text.home.nextNone}</p>;
  return (
    <>
      {live.map(({ sessionId, name }) => (
        <div class="row apart" key={sessionId}>
          <span>
            <span class="badge bad">{text.home.live}</span> {name}
          </span>
          <LinkButton small kind="primary" path={livePath(sessionId)}>
            {text.home.watch}
          </LinkButton>
        </div>
      ))}
      {next !== null && (
        <div class="stack tight">
          <strong>
            {next.event.name}, {sessionName(next.session)}
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

function Month({ usage }: { readonly usage: GetUsageAnswer }) {
  const past = signIn.value.kind === 'in' ? signIn.value.account.terms.past : 'skipped';
  const demo = usage.demoDeliveryCount + usage.demoStreamedCount;
  const counted = usage.deliveryCount + usage.streamedCount - demo;
  const use = monthUse(counted, usage.includedDeliveries, usage.windowStart, Date.now());
  const used = numbers.format(use.used);
  return (
    <section class="card">
      <h2>{text.home.bucketTitle}</h2>
      <div class="stack tight">
        <strong>
          {use.limit === null ? text.home.bucketAll(used) : text.home.bucketOf(used, numbers.format(use.limit))}
        </strong>
        {use.share !== null && (
          <span class="progress" aria-hidden="true">
            <span style={{ width: `${use.share * 100}%` }} />
          </span>
        )}
        {use.forecast !== null && <span class="soft">{text.home.bucketForecast(numbers.format(use.forecast))}</span>}
        {use.limit !== null && use.forecast !== null && use.forecast > use.limit && (
          <span class="badge warn home-warning">
            {past === 'billed' ? text.home.bucketBills : text.home.bucketSkips}
          </span>
        )}
      </div>
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

interface EndpointsProps {
  /** Those that the page has looked at. */
  readonly endpoints: readonly WebhookEndpoint[];
  /** All of the account. */
  readonly total: number;
}

function Health({ endpoints, total }: EndpointsProps) {
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
            {total > endpoints.length && (
              <span class="badge">{text.home.unseen(numbers.format(total - endpoints.length))}</span>
            )}
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

function Failures({ endpoints, total }: EndpointsProps) {
  const failures = endpoints
    .flatMap((endpoint) =>
      endpoint.health.lastFailure === null ? [] : [{ endpoint, last: endpoint.health.lastFailure }],
    )
    .sort((a, b) => Date.parse(b.last.at) - Date.parse(a.last.at))
    .slice(0, FAILURES_SHOWN_MAX);
  return (
    <section class="card">
      <h2>{text.home.failuresTitle}</h2>
      {failures.length === 0 && (
        <p class="soft">
          {total > endpoints.length
            ? text.home.failuresNoneSeen(numbers.format(endpoints.length))
            : text.home.failuresNone}
        </p>
      )}
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
