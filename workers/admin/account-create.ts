// `account create`: makes a verified account with client credentials, without a verification mail.

import { createAccount } from '#api/accounts/account-creation.ts';
import { parseEmail } from '#api/accounts/email-address.ts';
import { PLANS } from '#api/plans/plan.ts';
import { systemClock } from '#engine/base/clock.ts';
import { quoted } from '#engine/base/quoted-text.ts';
import { systemRandomBytes } from '#engine/base/random.ts';
import { requireKeys } from '#engine/storage/secrets/postgres-sealed-secrets.ts';
import { SecretBox } from '#engine/storage/secrets/secret-box.ts';
import { loadSecretKey } from '#engine/storage/secrets/secret-keys.ts';
import { type Command, UsageError } from './command.ts';
import { readArguments } from './command-line.ts';
import { withService } from './service-database.ts';

const HELP = `Makes a verified account and prints its client credentials as JSON.

Usage: npm run admin -- account create --email EMAIL --plan PLAN

  --email EMAIL   Address of the account's owner
  --plan PLAN     ${PLANS.join(', ')}

Prints {"accountId", "clientId", "clientSecret"}. The service shows the secret to its owner once more.

Example: npm run admin -- account create --email ada@example.com --plan custom`;

export const accountCreate: Command = {
  words: 'account create',
  summary: 'Make an account with client credentials',
  help: HELP,

  async run(args, terminal) {
    const { values } = readArguments(args, { email: { type: 'string' }, plan: { type: 'string' } });
    const { email } = values;
    if (email === undefined) throw new UsageError('--email is missing');
    if (parseEmail(email) === null) throw new UsageError(`--email: ${quoted(email)} is not an email address`);
    const plan = PLANS.find((known) => known === values.plan);
    if (plan === undefined) {
      const problem = values.plan === undefined ? '--plan is missing' : `--plan: "${values.plan}" is not a plan`;
      throw new UsageError(`${problem}; the plans are ${PLANS.join(', ')}`);
    }
    await withService(terminal, 'made', async ({ config, sql, log }) => {
      const secretBox = new SecretBox(
        await loadSecretKey(config.dataDir, config.secretKey, systemRandomBytes, log),
        systemRandomBytes,
      );
      await requireKeys(sql, secretBox);
      terminal.print(JSON.stringify(await createAccount({ email, plan }, { sql, secretBox, clock: systemClock })));
    });
  },
};
