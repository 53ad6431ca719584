// A page for each feed: what it tells, when, how often, a real payload, its fields and its filters. All of it comes from
// the catalogue, the schemas, the samples of test deliveries and the figures of the demo race.

import { realPayload } from '#api/webhooks/sample-payload.ts';
import { escapeHtml } from '#engine/base/html-escape.ts';
import { grouped } from '#engine/base/number-text.ts';
import { DEMO_SESSION_ID } from '#engine/intake/source/demo-session/demo-session.ts';
import { FEED_STATES } from '#schemas/webhook/feed-states.ts';
import type { Availability, Feed, FeedId } from '#schemas/webhook/feeds.ts';
import { type Maturity, maturityOf } from '#schemas/webhook/maturity.ts';
import { PAYLOAD_SCHEMAS } from '#schemas/webhook/payloads.ts';
import { RACE_EVENT_TYPES } from '#schemas/webhook/race-event-types.ts';
import type { FeedFigures, RaceFigures } from './feed-figures.ts';
import { FEED_OCCASIONS } from './feed-occasions.ts';
import { codeBlock, withCode } from './html.ts';
import type { Heading, PortalPage } from './portal-page.ts';
import { schemaHtml } from './schema-html.ts';

const PLANS: Readonly<Record<Availability, string>> = {
  free: 'every plan',
  live: 'Developer and Custom',
  analytics: 'Custom',
};

const MATURITY_NOTES: Readonly<Record<Maturity, string>> = {
  stable: 'Better than a simple rule by two standard errors, on races that nothing about the model was chosen on.',
  beta: 'Not shown to be better than a simple rule by two standard errors. Its numbers may change the most.',
};

const COMPLETENESS = {
  none: 'Each update is complete and tells of an event.',
  latest: 'Each update is complete: the last one is the state.',
  changes: 'An update has what changed; the rest stays as it was.',
} as const;

const HEADINGS: readonly Heading[] = [
  { id: 'what-it-tells', text: 'What it tells', depth: 2 },
  { id: 'how-often', text: 'When and how often', depth: 2 },
  { id: 'payload', text: 'A payload', depth: 2 },
  { id: 'subscribe', text: 'Subscribe and filter', depth: 2 },
  { id: 'fields', text: 'Fields', depth: 2 },
];

/** The overview, then a page for each feed. */
export function feedPages(feeds: readonly Feed[], race: RaceFigures): readonly PortalPage[] {
  const byFeed = new Map(race.feeds.map((figures) => [figures.feedId, figures]));
  return [
    {
      path: 'feeds',
      title: 'Feeds',
      summary: 'Every feed, the plan that opens it, and how often it is sent.',
      headings: [],
      content: (root) => overviewHtml(feeds, race, byFeed, root),
    },
    ...feeds.map((feed) => ({
      path: `feeds/${feed.feedId}`,
      title: feed.feedId,
      summary: `${feed.name}. ${firstSentence(descriptionOf(feed))}`,
      headings: HEADINGS,
      words: eventTypesOf(feed),
      content: (root: string) => feedHtml(feed, race, byFeed.get(feed.feedId), root),
    })),
  ];
}

function overviewHtml(
  feeds: readonly Feed[],
  { minutes, updates }: RaceFigures,
  byFeed: ReadonlyMap<string, FeedFigures>,
  root: string,
): string {
  const rows = feeds.map((feed) => {
    const { feedId, availability } = feed;
    const figures = byFeed.get(feedId);
    const cells = [
      `<a href="${root}feeds/${feedId}"><code>${feedId}</code></a>${maturityOf(feedId) === 'beta' ? ' (beta)' : ''}`,
      withCode(firstSentence(descriptionOf(feed))),
      PLANS[availability],
      figures === undefined ? 'not in it' : grouped(figures.updates),
      bytesText(byteLength(feed, figures)),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<p>The figures are those of the demo race, which every account can replay: ${minutes} minutes, ${grouped(updates)}
    updates. A full race has tens of thousands.</p>
<div class="table feeds" tabindex="0"><table><thead><tr><th>feed</th><th>what it tells</th><th>plan</th><th>updates</th><th>size</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>\n`;
}

function feedHtml(feed: Feed, race: RaceFigures, figures: FeedFigures | undefined, root: string): string {
  const { feedId, name, availability, seriesId } = feed;
  const payload = realPayload(feedId);
  const order = JSON.stringify(subscription(feed));
  const source =
    payload.sessionId === DEMO_SESSION_ID ? 'the demo race' : 'an invented session, because the demo race has none';
  const [what, how, real, subscribe, fields] = HEADINGS.map(
    ({ id, text }) => `<h2 id="${id}"><a href="#${id}">${text}</a></h2>\n`,
  );
  return `<p class="facts"><span>${escapeHtml(name)}</span> <span>series <code>${seriesId}</code></span> <span>plan: ${PLANS[availability]}</span>${maturityFact(feed)}</p>
${what}${maturityHtml(feed)}${descriptionHtml(feed)}${eventsHtml(feed)}<p>${COMPLETENESS[FEED_STATES[feedId as FeedId].kind]}</p>
${how}<p>${withCode(FEED_OCCASIONS[feedId as FeedId])}</p>
${frequencyHtml(race, figures)}
${real}<p>An update of medium size, from ${source}.</p>
${codeBlock(JSON.stringify(payload, null, 2), 'JSON')}
${subscribe}${filtersHtml(feed, root)}
${codeBlock(`curl http://localhost:8080/v1/webhooks -H "Authorization: Bearer $TOKEN" \\\n  -H 'content-type: application/json' \\\n  -d '${order}'`, 'Shell')}
${fields}<p>The same as JSON schema: <a href="${root}../v1/openapi.json">OpenAPI document</a>. Ignore fields that you do not know.</p>
${schemaHtml(PAYLOAD_SCHEMAS[feedId as FeedId])}`;
}

function frequencyHtml({ minutes, updates }: RaceFigures, figures: FeedFigures | undefined): string {
  if (figures === undefined) return '<p>The demo race does not have this feed.</p>';
  const share = (figures.updates / updates) * 100;
  const rows = [
    [
      'updates in the demo race',
      `${grouped(figures.updates)} of ${grouped(updates)} (${share < 1 ? share.toFixed(1) : Math.round(share)} %)`,
    ],
    ['per minute', (figures.updates / minutes).toFixed(1)],
    ['from one to the next', pauseText(figures.medianPauseS)],
    ['size', `${bytesText(figures.medianBytes)} (median), ${bytesText(figures.largestBytes)} at most`],
  ];
  return `<div class="table"><table><tbody>${rows.map(([what, value]) => `<tr><th scope="row">${what}</th><td>${value}</td></tr>`).join('')}</tbody></table></div>\n`;
}

function pauseText(medianS: number | null): string {
  if (medianS === null) return 'sent once';
  return medianS < 0.1 ? 'less than 0.1 s (median)' : `${medianS} s (median)`;
}

function filtersHtml({ feedId, perDriver }: Feed, root: string): string {
  const guide = `<a href="${root}filters">Feeds and filters</a>`;
  if (feedId === 'events.race') {
    return `<p>Filters: <code>eventTypes</code>, <code>drivers</code>, <code>driverNumbers</code>, <code>constructors</code> and
<code>positions</code>. ${guide} explains them.</p>`;
  }
  if (!perDriver) return `<p>This feed is not about drivers, so it has no filters: ${guide}.</p>`;
  return `<p>Filters: <code>drivers</code>, <code>driverNumbers</code>, <code>constructors</code> and <code>positions</code>.
${guide} explains them.</p>`;
}

function subscription({ feedId, perDriver }: Feed): object {
  const webhookUrl = 'https://hooks.example.com/in';
  if (feedId === 'events.race') {
    return { webhookUrl, subscriptions: [{ feedId, filters: { eventTypes: ['overtake', 'pit_stop'] } }] };
  }
  return perDriver
    ? { webhookUrl, subscriptions: [{ feedId, filters: { drivers: ['VSK'] } }] }
    : { webhookUrl, feedId };
}

/** Models describe themselves at length: method, limits and what was measured. */
function descriptionHtml(feed: Feed): string {
  const parts = descriptionOf(feed).split(/ (?=(?:Method|Limits|Measured): )/);
  return parts
    .map((part) => `<p>${withCode(part).replace(/^(Method|Limits|Measured):/, '<strong>$1:</strong>')}</p>`)
    .join('\n');
}

function maturityFact({ feedId }: Feed): string {
  const maturity = maturityOf(feedId);
  return maturity === undefined ? '' : ` <span>maturity: <code>${maturity}</code></span>`;
}

function maturityHtml({ feedId }: Feed): string {
  const maturity = maturityOf(feedId);
  return maturity === undefined
    ? ''
    : `<p><strong>Maturity: <code>${maturity}</code>.</strong> ${MATURITY_NOTES[maturity]}</p>\n`;
}

function eventsHtml(feed: Feed): string {
  const events = eventTypesOf(feed).map((type) => `<code>${type}</code>`);
  return events.length === 0 ? '' : `<p>The field <code>event</code> says what: ${events.join(', ')}.</p>`;
}

function descriptionOf({ feedId }: Feed): string {
  return (PAYLOAD_SCHEMAS[feedId as FeedId] as { readonly description?: string }).description ?? '';
}

function eventTypesOf({ feedId }: Feed): readonly string[] {
  return feedId === 'events.race' ? RACE_EVENT_TYPES : [];
}

function firstSentence(text: string): string {
  return /^.*?\.(?= |$)/s.exec(text)?.[0] ?? text;
}

function byteLength({ feedId }: Feed, figures: FeedFigures | undefined): number {
  return figures?.medianBytes ?? Buffer.byteLength(JSON.stringify(realPayload(feedId)));
}

function bytesText(bytes: number): string {
  return bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toFixed(1)} KB`;
}
