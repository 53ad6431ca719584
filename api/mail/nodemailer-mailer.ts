// Sends email through a mail server (SMTP). An email that is not handed over within a deadline has failed. Errors name
// neither the server's address nor its credentials nor the recipient.

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
  /** The most emails that may be under way or waiting; any more fail. */
  readonly waitingMax?: number;
}

const REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'the mail server refuses the credentials',
  EENVELOPE: 'the mail server refuses the sender or the recipient',
  EMESSAGE: 'the mail server refuses the message',
  EDNS: 'the name of the mail server cannot be resolved',
  ETLS: 'no secure connection to the mail server',
  ETIMEDOUT: 'the mail server does not respond in time',
  EABORT: 'the mail server does not respond in time',
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
      // Covers servers that close idle connections: no part of the email was sent then.
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
      // Covers the wait for a connection and servers that respond a byte at a time, unlike the other timeouts.
      const signal = AbortSignal.timeout(this.#deadlineMs);
      await this.#transport.sendMail({ envelope, raw: bytes, signal });
    } catch (error) {
      throw new MailError(reason(error as NodemailerError));
    } finally {
      this.#underWay--;
    }
  }

  /** Rejects with a MailError unless the mail server responds, greets and accepts the credentials. */
  async check(): Promise<void> {
    try {
      await this.#transport.verify();
    } catch (error) {
      throw new MailError(reason(error as NodemailerError));
    }
  }

  /** Closes idle connections now, and the others once their email is sent. */
  close(): void {
    this.#transport.close();
  }
}

function reason({ code, responseCode }: NodemailerError): string {
  const text = (code !== undefined && REASONS[code]) || 'the mail server cannot be used';
  return responseCode === undefined ? text : `${text} (${responseCode})`;
}
