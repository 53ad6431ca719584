// Writes emails to files, for a service without a mail server. Each is an .eml file, which mail programs open. Only the
// service's user can read the folder, because the links in the emails are secrets. Only the newest files are kept.

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#engine/base/clock.ts';
import { OUTBOX_FILES_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { type Mail, MailError, type Mailer } from './mailer.ts';
import { composeMail } from './nodemailer-composer.ts';

export interface OutboxMailerOptions {
  readonly folder: string;
  readonly from: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly filesMax?: number;
}

/** Begins with the time, so names sort by age. */
const NAME = /^\d{8}T\d{9}Z-[\w-]+-[0-9a-f]{8}\.eml$/;

export class OutboxMailer implements Mailer {
  readonly #options: OutboxMailerOptions;

  constructor(options: OutboxMailerOptions) {
    this.#options = options;
  }

  async send(mail: Mail): Promise<void> {
    const { folder, from, clock, log } = this.#options;
    const time = new Date(clock.wallMs()).toISOString().replaceAll(/[-:.]/g, '');
    const file = join(folder, `${time}-${mail.kind}-${randomBytes(4).toString('hex')}.eml`);
    const { bytes } = await composeMail(mail, from);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(file, bytes, { flag: 'wx', mode: 0o600 });
      await this.#removeOldest();
    } catch (error) {
      throw new MailError(`${folder} cannot be used (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
    log.info({ file }, 'wrote an email to the outbox, because SMTP_URL is not set');
  }

  async #removeOldest(): Promise<void> {
    const { folder, filesMax = OUTBOX_FILES_MAX } = this.#options;
    const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
    const oldest = names.slice(0, Math.max(0, names.length - filesMax));
    await Promise.all(oldest.map((name) => rm(join(folder, name), { force: true })));
  }
}
