// What the process hands in to make an API of: the outside world, and the settings that customers feel.

import type { RecordedOutcomes } from '#api/outcomes/recorded-outcomes.ts';
import type { TimerClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import type { DeliveryControl } from '#engine/delivery/cluster/delivery-control.ts';
import type { PlaybackLibrary } from '#engine/intake/playback/playback-library.ts';
import type { Sql } from '#engine/storage/postgres-client.ts';
import type { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import type { Feed } from '#schemas/webhook/feeds.ts';
import type { PasswordHasher } from './accounts/password-hasher.ts';
import type { PaymentProvider } from './billing/payment-provider.ts';
import type { FrontSettings } from './http/front-settings.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Forecasts } from './previews/forecasts.ts';
import type { NameResolver } from './webhooks/url-admission.ts';

export interface AppParts {
  readonly sql: Sql;
  readonly control: DeliveryControl;
  readonly library: PlaybackLibrary;
  readonly secretBox: SecretBox;
  readonly clock: TimerClock;
  readonly log: Log;
  readonly mailer: Mailer;
  /** Address of the web pages that mails link to, without a slash at the end; asked for each mail. */
  readonly siteUrl: () => string;
  /** The current season: a year; asked for whenever it matters, since years turn. */
  readonly season: () => number;
  /** How long entries of the delivery log are shown, in days; as long as usual unless given. */
  readonly logRetentionDays?: number;
  /** How it presents itself to browsers and proxies; plainly unless given. */
  readonly front?: FrontSettings;
  /** Where customers reach the service, without `/v1`; the documentation is relative to itself unless given. */
  readonly publicUrl?: string;
  /** Begins the header names of a delivery, for the documentation; `X-Service` unless given. */
  readonly headerPrefix?: string;
  /** Who takes payments; nobody unless given. */
  readonly payments?: PaymentProvider;
  /** How passwords are kept; as Argon2id unless given. */
  readonly passwordHasher?: PasswordHasher;
  /** How host names are looked up; by the system unless given. */
  readonly resolve?: NameResolver;
  /** Who forecasts races; this very thread unless given, which keeps everything else waiting meanwhile. */
  readonly forecasts?: Forecasts;
  /** How recorded sessions ended; nothing is recorded unless given. */
  readonly recordedOutcomes?: Pick<RecordedOutcomes, 'of'>;
  /** What else keeps the service from doing its work, each in a few words without secrets; nothing unless given. */
  readonly problems?: () => Promise<readonly string[]>;
  /** The feeds that are offered, those of the first series first; Formula One's unless given. */
  readonly feeds?: readonly Feed[];
}
