// Mails through a mail server (SMTP). A mail is handed over within a deadline or has failed; what failed is said without
// the server's address, its credentials or the recipient.

import {
  createTransport,
  type NodemailerError,
  type SMTPPoolOptions,
  type SMTPPoolSentMessageInfo,
  type Transporter,
} from 'nodemailer';
import { MAIL_CONNECTIONS_MAX, MAIL_DEADLINE_MS, MAIL_RETRIES_MAX, MAILS_WAITING_MAX } from '#engine/base/limits.ts';
import { type Mail, MailError, type Mailer } from './mailer.ts';
import { composeMail } from './nodemailer-composer.ts';

export interface NodemailerMailerOptions {
  /** `smtp://USER:PASSWORD@HOST:PORT` or `smtps://...`. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly deadlineMs?: number;
  /** Mails that are being sent or wait for it; a further one fails. */
  readonly waitingMax?: number;
}

const TROUBLE: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refuses the credentials',
  EENVELOPE: 'the mail server refuses the sender or the recipient',
  EMESSAGE: 'the mail server refuses the message',
  EDNS: 'the name of the mail server cannot be resolved',
  ETLS: 'no secure connection to the mail server',
  ETIMEDOUT: 'no answer from the mail server in time',
  EABORT: 'no answer from the mail server in time',
  ESOCKET: 'the mail server cannot be reached',
  ECONNECTION: 'the mail server closes the connection',
};

export class NodemailerMailer implements Mailer {
  readonly #transport: Transporter<SMTPPoolSentMessageInfo, SMTPPoolOptions>;
  readonly #from: string;
  readonly #deadlineMs: number;
  readonly #waitingMax: number;
  #underWay = 0;

  constructor({
    smtpUrl,
    from,
    deadlineMs = MAIL_DEADLINE_MS,
    waitingMax = MAILS_WAITING_MAX,
  }: NodemailerMailerOptions) {
    this.#from = from;
    this.#deadlineMs = deadlineMs;
    this.#waitingMax = waitingMax;
    this.#transport = createTransport({
      pool: true,
      url: smtpUrl,
      maxConnections: MAIL_CONNECTIONS_MAX,
      // For a server that hangs up on a connection that was idle; nothing of the mail was sent then.
      maxRequeues: MAIL_RETRIES_MAX,
      connectionTimeout: deadlineMs,
      greetingTimeout: deadlineMs,
      socketTimeout: deadlineMs,
      dnsTimeout: deadlineMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send(mail: Mail): Promise<void> {
    if (this.#underWay >= this.#waitingMax) throw new MailError('too many mails are waiting already');
    this.#underWay++;
    try {
      const { envelope, bytes } = await composeMail(mail, this.#from);
      // Covers the wait for a connection and servers that answer a byte at a time, which the other limits do not.
      const signal = AbortSignal.timeout(this.#deadlineMs);
      await this.#transport.sendMail({ envelope, raw: bytes, signal });
    } catch (error) {
      throw new MailError(reason(error as NodemailerError));
    } finally {
      this.#underWay--;
    }
  }

  /** Rejects with a MailError unless the mail server answers, greets and takes the credentials. */
  async check(): Promise<void> {
    try {
      await this.#transport.verify();
    } catch (error) {
      throw new MailError(reason(error as NodemailerError));
    }
  }

  /** Ends idle connections now and the others with their mail. */
  close(): void {
    this.#transport.close();
  }
}

function reason({ code, responseCode }: NodemailerError): string {
  const trouble = (code !== undefined && TROUBLE[code]) || 'the mail server cannot be used';
  return responseCode === undefined ? trouble : `${trouble} (${responseCode})`;
}
