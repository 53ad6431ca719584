// How mails leave: the bindings are a mail server (nodemailer) and, when there is none, files in the outbox folder.

export interface Mail {
  /** What it is about, in one word for file names and the log: `verification`, `bucket-near`. */
  readonly kind: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text, lines as they shall appear. */
  readonly text: string;
}

export interface Mailer {
  /** Resolves when the mail is in somebody else's hands; rejects with a MailError when that is not known in time. */
  send(mail: Mail): Promise<void>;
}

/** A mail could not be handed on; the message says why, without secrets. */
export class MailError extends Error {
  override readonly name = 'MailError';
}
