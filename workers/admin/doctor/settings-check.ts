// Checks the settings: bad values, which the service refuses, and combinations that are allowed but rarely intended.

import { assert } from '#engine/base/assert.ts';
import { type Config, ConfigError, isLoopback, readConfig } from '#workers/config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadSettings {
  readonly config: Config;
  /** Names of the settings that were left out because their values are bad. */
  readonly left: ReadonlySet<string>;
  readonly problems: readonly string[];
}

/** Reads the good settings and leaves out the bad ones, so that the other checks can still run. */
export function readSettings(env: Environment): ReadSettings {
  const left = new Set<string>();
  let problems: readonly string[] = [];
  for (;;) {
    const good = Object.fromEntries(Object.entries(env).filter(([name]) => !left.has(name)));
    try {
      return { config: readConfig(good), left, problems };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (left.size === 0) problems = error.problems;
      const named = error.problems.flatMap((line) => line.match(/\b[A-Z][A-Z_]+\b/g) ?? []);
      const bad = named.filter((name) => good[name] !== undefined);
      assert(bad.length > 0, 'a problem names a setting that has a value');
      // Others may need these: they are then left out as well.
      for (const name of bad) left.add(name);
    }
  }
}

export function checkSettings({ config, problems }: ReadSettings): readonly Found[] {
  const found = [
    ...problems.map((line) => problem(line, 'Correct the value; npm start -- --help lists all settings.')),
    ...oddSettings(config),
  ];
  return found.length > 0 ? found : [ok('all values are valid')];
}

function oddSettings(config: Config): Found[] {
  const found: Found[] = [];
  const odd = (holds: boolean, text: string, next: string): void => {
    if (holds) found.push(warning(text, next));
  };
  const open = !isLoopback(config.host);
  const https = config.publicUrl?.startsWith('https:') ?? false;
  odd(
    open && !https,
    `HOST ${config.host} is open to other machines, and PUBLIC_URL is not https: cookies and tokens travel unencrypted`,
    'Put a proxy with TLS in front, set HOST to 127.0.0.1 and PUBLIC_URL to its https address.',
  );
  odd(
    https && config.trustProxy.kind === 'none',
    'PUBLIC_URL is https, so there is a proxy in front, but TRUST_PROXY names none: all clients share one address limit',
    'Set TRUST_PROXY to the address of the proxy.',
  );
  odd(
    config.trustProxy.kind === 'all',
    'TRUST_PROXY trusts everyone: a client that reaches the port directly can claim any address',
    'Name the addresses of the proxies.',
  );
  odd(
    config.admin !== null && !isLoopback(config.admin.host),
    `ADMIN_HOST ${config.admin?.host} opens the listener for operators to other machines, without TLS`,
    'Set it to 127.0.0.1, or make sure that only your own network can reach it.',
  );
  odd(
    config.replayToLocalhost && (open || config.publicUrl !== null),
    'REPLAY_TO_LOCALHOST lets customers send replays and tests to programs on this machine, and read their answers',
    'Turn it off where others register endpoints.',
  );
  odd(
    config.liveToLocalhost,
    'LIVE_TO_LOCALHOST lets customers send live deliveries to programs on this machine',
    'Turn it off in production.',
  );
  odd(
    config.smtpUrl === null && config.publicUrl !== null,
    'SMTP_URL is not set: mails are files in DATA_DIR/outbox, so customers get no verification links',
    'Set SMTP_URL and MAIL_FROM.',
  );
  odd(config.logLevel === 'silent', 'LOG_LEVEL is silent: failures are not logged', 'Use warn or info.');
  odd(
    config.corsOrigins === 'any',
    'CORS_ORIGINS lets any web page call the API',
    'Name the origins of your own pages.',
  );
  return found;
}
