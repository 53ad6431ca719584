// Opens the mailer that the settings ask for: the mail server of SMTP_URL, or files in DATA_DIR/outbox.

import { join } from 'node:path';
import type { Mailer } from '#api/mail/mailer.ts';
import { OutboxMailer } from '#api/mail/outbox-mailer.ts';
import { systemClock } from '#engine/base/clock.ts';
import type { Log } from '#engine/base/log.ts';
import type { Config } from './config.ts';

export interface ServiceMailer {
  readonly mailer: Mailer;
  /** Call it once nothing is sent any more. */
  close(): void;
}

/** Loads the library for mail, which is large, only for a mail server. */
export async function openMailer({ smtpUrl, mailFrom, dataDir }: Config, log: Log): Promise<ServiceMailer> {
  if (smtpUrl === null) {
    const folder = join(dataDir, 'outbox');
    return { mailer: new OutboxMailer({ folder, from: mailFrom, clock: systemClock, log }), close() {} };
  }
  const { NodemailerMailer } = await import('#api/mail/nodemailer-mailer.ts');
  const mailer = new NodemailerMailer({ smtpUrl, from: mailFrom });
  return { mailer, close: () => mailer.close() };
}
