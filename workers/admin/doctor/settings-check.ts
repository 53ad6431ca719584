// The settings: bad values, as the service would refuse them, and combinations that are allowed but seldom meant.

import { type Config, ConfigError, readConfig } from '#workers/config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadSettings {
  readonly config: Config;
  /** Names of settings that had to be left out, because their values are bad. */
  readonly left: ReadonlySet<string>;
  readonly problems: readonly string[];
}

const LOCAL = new Set(['127.0.0.1', '::1', 'localhost']);

/** The settings as far as they are good, so that the other checks can be made all the same. */
export function readSettings(env: Environment): ReadSettings {
  try {
    return { config: readConfig(env), left: new Set(), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const named = error.problems.flatMap((line) => line.match(/\b[A-Z][A-Z_]+\b/g) ?? []);
    const left = new Set(named.filter((name) => env[name] !== undefined));
    const good = Object.fromEntries(Object.entries(env).filter(([name]) => !left.has(name)));
    return { config: readConfig(good), left, problems: error.problems };
  }
}

export function checkSettings({ config, problems }: ReadSettings): readonly Found[] {
  const found = [
    ...problems.map((line) => problem(line, 'Correct the value; npm start -- --help lists all settings.')),
    ...oddSettings(config),
  ];
  return found.length > 0 ? found : [ok('every value is good')];
}

function oddSettings(config: Config): Found[] {
  const found: Found[] = [];
  const odd = (holds: boolean, text: string, next: string): void => {
    if (holds) found.push(warning(text, next));
  };
  const open = !LOCAL.has(config.host);
  const https = config.publicUrl?.startsWith('https:') ?? false;
  odd(
    open && !https,
    `HOST ${config.host} is open to others, and PUBLIC_URL is not https: cookies and tokens go in the clear`,
    'Put a proxy with TLS in front, HOST to 127.0.0.1 and PUBLIC_URL to its https address.',
  );
  odd(
    https && config.trustProxy.kind === 'none',
    'PUBLIC_URL is https, which a proxy in front speaks, and TRUST_PROXY names none: all clients share one address limit',
    'Set TRUST_PROXY to the address of the proxy.',
  );
  odd(
    config.trustProxy.kind === 'all',
    'TRUST_PROXY believes everybody: whoever reaches the port directly can pretend to be any address',
    'Name the addresses of the proxies.',
  );
  odd(
    config.admin !== null && !LOCAL.has(config.admin.host),
    `ADMIN_HOST ${config.admin?.host} opens the listener for operators to others, without TLS`,
    'Leave it at 127.0.0.1, or see that only your own network reaches it.',
  );
  odd(
    config.liveToLocalhost,
    'LIVE_TO_LOCALHOST lets customers send live deliveries to programs on this machine',
    'Turn it off, except to try things out.',
  );
  odd(
    config.smtpUrl === null && config.publicUrl !== null,
    'SMTP_URL is not set: mails are files in DATA_DIR/outbox, and nobody gets a verification link',
    'Set SMTP_URL and MAIL_FROM.',
  );
  odd(config.logLevel === 'silent', 'LOG_LEVEL is silent: nothing tells what goes wrong', 'Use warn or info.');
  odd(
    config.corsOrigins === 'any',
    'CORS_ORIGINS lets any web page call the API',
    'Name the origins of your own pages.',
  );
  return found;
}
