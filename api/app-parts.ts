// What the process provides to the API: its connections to the outside world, and the settings that customers notice.

import type { RecordedOutcomes } from '#api/outcomes/recorded-outcomes.ts';
import type { LiveDeliveriesParts } from '#api/webhooks/live/live-deliveries.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import type { RecordBatch, Writer } from '#engine/delivery/delivery-log/record-store.ts';
import type { StreamMeter } from '#engine/delivery/meter/stream-meter.ts';
import type { StreamHubParts } from '#engine/delivery/stream/stream-hub.ts';
import type { PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { Feed } from '#schemas/webhook/feeds.ts';
import type { PasswordHasher } from './accounts/password-hasher.ts';
import type { UsageMeter } from './billing/overage/usage-meter.ts';
import type { PaymentProvider } from './billing/payment-provider.ts';
import type { FrontSettings } from './http/front-settings.ts';
import type { Forwarder, Homes, IsOurs } from './http/homes.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Forecasts } from './previews/forecasts.ts';
import type { SnapshotMaker } from './states/snapshot-maker.ts';
import type { StateFolder } from './states/state-folder.ts';
import type { TimelineKeys } from './states/timeline-keys.ts';
import type { NameResolver } from './webhooks/url-admission.ts';

/** What a node knows of its cluster. */
export interface ClusterParts {
  readonly homes: Homes;
  readonly forwarder: Forwarder;
  /** Whether the account is at home here. */
  readonly owns: IsOurs;
  /** Whether this node does what one node does for all. */
  readonly isKeeper: () => boolean;
}

export interface AppParts {
  readonly sql: Sql;
  readonly control: DeliveryControl;
  readonly library: PlaybackLibrary;
  readonly journals: LiveDeliveriesParts['journals'];
  readonly secretBox: SecretBox;
  readonly clock: TimerClock;
  readonly log: Log;
  readonly mailer: Mailer;
  /** Base URL of the web pages that emails link to, without a trailing slash. Called for each email. */
  readonly siteUrl: () => string;
  /** The current season, a year. Called whenever it is needed, since years change. */
  readonly season: () => number;
  /** How many days back the delivery log is shown. Default: LOG_RETENTION_DAYS. */
  readonly logRetentionDays?: number;
  /** Default: the service is alone. */
  readonly cluster?: ClusterParts;
  /** Settings for browsers and proxies. Default: plain http without a proxy. */
  readonly front?: FrontSettings;
  /** Where customers reach the service, without `/v1`. By default the documentation uses relative URLs. */
  readonly publicUrl?: string;
  /** Prefix of the delivery headers. Default: `X-Service`. */
  readonly headerPrefix?: string;
  /** Whether the console is served. Default: yes. */
  readonly servesConsole?: boolean;
  /** Whether webhooks on the service's own machine are accepted, for replays. */
  readonly servesLocalhost: boolean;
  /** The payment provider. Default: none. */
  readonly payments?: PaymentProvider;
  /** The payment provider's meter of overage. Default: none, and overage is not billed. */
  readonly usageMeter?: UsageMeter;
  /** Default: Argon2id on this thread, which blocks everything else meanwhile. */
  readonly passwordHasher?: PasswordHasher;
  /** Writes the usage of streams. Default: a new one. */
  readonly streamWriter?: Writer;
  /** Keeps usage that the database does not take at the end. Returns how many batches. Default: none. */
  readonly keepBatches?: (batches: readonly RecordBatch[]) => number;
  /** Calls back after each change of a live timeline, until the returned function is called. */
  readonly watch: StreamHubParts['watch'];
  /** How many attempts of deliveries are under way on this machine. */
  readonly deliveries: StreamHubParts['deliveries'];
  /** Counts the event streams of updates. Default: a meter that nobody reads. */
  readonly streamMeter?: StreamMeter;
  /** Looks up host names. Default: the system's resolver. */
  readonly resolve?: NameResolver;
  /** Makes the forecasts. Default: this thread, which blocks everything else meanwhile. */
  readonly forecasts?: Forecasts;
  /** Outcomes of recorded sessions. Default: none are recorded. */
  readonly recordedOutcomes?: Pick<RecordedOutcomes, 'of'>;
  /** Folds the states of sessions. Default: this thread, which blocks everything else meanwhile. */
  readonly stateFolder?: StateFolder;
  readonly timelineKeys?: TimelineKeys;
  /** Makes snapshots again for the delivery log. Default: over that folder. */
  readonly snapshots?: Pick<SnapshotMaker, 'body'>;
  /** Other reasons why the service is not ready, each in a few words without secrets. Default: none. */
  readonly problems?: () => Promise<readonly string[]>;
  /** The feeds that the service offers, those of the default series first. Default: Formula One's. */
  readonly feeds?: readonly Feed[];
}
