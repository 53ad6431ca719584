// Sends email. The bindings are a mail server (nodemailer) and, without one, files in the outbox folder.

export interface Mail {
  /** The kind of email, in one word, for file names and the log: `verification`, `bucket-near`. */
  readonly kind: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text with its final line breaks. */
  readonly text: string;
}

export interface Mailer {
  /** Resolves once the mail is handed over. Rejects with a MailError if that fails or takes too long. */
  send(mail: Mail): Promise<void>;
}

/** An email could not be handed over. The message says why, without secrets. */
export class MailError extends Error {
  override readonly name = 'MailError';
}
