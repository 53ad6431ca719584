// Composes the bytes of an email with nodemailer, which encodes header values safely.

import MailComposer from 'nodemailer/lib/mail-composer';
import type { Mail } from './mailer.ts';

const ASCII = /^[\t\n\x20-\x7e]*$/;
/** The longest line that SMTP allows. */
const LINE_CHARS_MAX = 998;

export interface ComposedMail {
  readonly envelope: { readonly from: string; readonly to: string[] };
  readonly bytes: Buffer;
}

/** `from` is an address, or a name with an address in angle brackets. */
export async function composeMail(mail: Mail, from: string): Promise<ComposedMail> {
  const message = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    subject: mail.subject,
    text: mail.text,
    // Stops auto-replies, such as out-of-office notices.
    headers: { 'Auto-Submitted': 'auto-generated' },
    newline: 'linux',
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  const plain = ASCII.test(mail.text) && mail.text.split('\n').every((line) => line.length <= LINE_CHARS_MAX);
  // The default encoding breaks long links in two, and readers of the outbox want to copy them.
  if (plain) message.getTransferEncoding = () => '7bit';
  const envelope = message.getEnvelope();
  return { envelope: { from: envelope.from || '', to: envelope.to }, bytes: await message.build() };
}
