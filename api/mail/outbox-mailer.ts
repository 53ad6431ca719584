// Writes emails to files, for a service without a mail server. Each is an .eml file, which mail programs open. Only the
// service's user can read the folder, because the links in the emails are secrets. Only the newest files are kept: the
// folder is listed before the first mail, and what is written from then on is known. That is newer than what was listed,
// whatever the clock says: one that was set back makes no mail old.

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#engine/base/clock.ts';
import { OUTBOX_FILES_MAX } from '#engine/base/limits.ts';
import type { Log } from '#engine/base/log.ts';
import { type Mail, MailError, type Mailer } from './mailer.ts';

export interface OutboxMailerOptions {
  readonly folder: string;
  readonly from: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly filesMax?: number;
}

/** Begins with the time, so names sort by age, as far as the clock is right. */
const NAME = /^\d{8}T\d{9}Z-[\w-]+-[0-9a-f]{8}\.eml$/;

export class OutboxMailer implements Mailer {
  readonly #options: OutboxMailerOptions;
  /** The mails in the folder, once it was listed, in the order in which they were written. */
  readonly #names = new Set<string>();
  #found: Promise<void> | null = null;

  constructor(options: OutboxMailerOptions) {
    this.#options = options;
  }

  async send(mail: Mail): Promise<void> {
    const { folder, from, clock, log } = this.#options;
    const time = new Date(clock.wallMs()).toISOString().replaceAll(/[-:.]/g, '');
    const name = `${time}-${mail.kind}-${randomBytes(4).toString('hex')}.eml`;
    // Most services never write one, and the library is large.
    const { composeMail } = await import('./nodemailer-composer.ts');
    const { bytes } = await composeMail(mail, from);
    try {
      await this.#listed();
      await this.#write(name, bytes);
      this.#names.add(name);
      await this.#removeOldest();
    } catch (error) {
      throw new MailError(`${folder} cannot be used (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
    log.info({ file: join(folder, name) }, 'wrote an email to the outbox, because SMTP_URL is not set');
  }

  async #write(name: string, bytes: Buffer): Promise<void> {
    const { folder } = this.#options;
    const write = () => writeFile(join(folder, name), bytes, { flag: 'wx', mode: 0o600 });
    try {
      await write();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The first mail, or somebody has removed the folder.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await write();
    }
  }

  async #listed(): Promise<void> {
    this.#found ??= this.#list();
    const found = this.#found;
    try {
      await found;
    } catch (error) {
      this.#found = null;
      throw error;
    }
  }

  async #removeOldest(): Promise<void> {
    const { folder, filesMax = OUTBOX_FILES_MAX } = this.#options;
    if (this.#names.size <= filesMax) return;
    const oldest = [...this.#names].slice(0, this.#names.size - filesMax);
    for (const old of oldest) this.#names.delete(old);
    await Promise.all(oldest.map((old) => rm(join(folder, old), { force: true })));
  }

  async #list(): Promise<void> {
    const names = await readdir(this.#options.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
    for (const name of names.sort()) if (NAME.test(name)) this.#names.add(name);
  }
}
