import { createTransport } from 'nodemailer'
import type { Mail, Mailer } from './mail.ts'

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte. */
  readonly url: string
  /** The sender, as `Ratchet <ratchet@example.com>`. */
  readonly from: string
  /** Maximum time for a mail, milliseconds. */
  readonly timeoutMs?: number
}

const connectTimeoutMs = 5_000
const silenceTimeoutMs = 10_000
/** Of a mail, however slowly the server answers. */
const totalTimeoutMs = 30_000

/**
 * Sends through the operator's mail server. A password is sent over TLS only, except to this machine: with `smtp://` the
 * connection must be upgraded (STARTTLS) before.
 */
export function createSmtpMailer({ url, from, timeoutMs = totalTimeoutMs }: SmtpOptions): Mailer & { close(): void } {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && username !== '' && !isThisMachine(hostname),
    connectionTimeout: connectTimeoutMs,
    greetingTimeout: connectTimeoutMs,
    socketTimeout: silenceTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
  })
  return {
    async send({ to, subject, text }: Mail) {
      // An object is one address; a text could be a list of them.
      const signal = AbortSignal.timeout(timeoutMs)
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text, signal })
    },
    close: () => transport.close(),
  }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '[::1]'
}
