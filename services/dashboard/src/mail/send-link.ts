import type { Logger } from 'pino'
import type { Mail, Mailer } from './mail.ts'

export interface LinkMail {
  /** Null where no mail server is set. */
  readonly mailer: Mailer | null
  readonly logger: Pick<Logger, 'warn'>
  readonly mail: Mail
  /** The link in the mail. */
  readonly link: string
}

export interface SentLink {
  readonly mailed: boolean
  /** To be sent some other way; null when the mail has it, so that nobody else needs to see it. */
  readonly link: string | null
}

/** Mails a link that is valid once. Where that is not possible, it is shown. */
export async function sendLink({ mailer, logger, mail, link }: LinkMail): Promise<SentLink> {
  if (mailer === null) return { mailed: false, link }
  try {
    await mailer.send(mail)
    return { mailed: true, link: null }
  } catch (error) {
    logger.warn({ event: 'mail_failed', err: error }, 'a link could not be mailed, so it is shown')
    return { mailed: false, link }
  }
}
