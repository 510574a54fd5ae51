import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** An e-mail as the server received it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body. */
  readonly raw: string
  /** The body, decoded. */
  readonly body: string
}

export interface TestSmtpServer {
  readonly url: string
  readonly received: ReceivedMail[]
  /** Refuses mails from now on, or takes them again. */
  refuse(isRefusing: boolean): void
  stop(): Promise<void>
}

/** A real mail server on this machine. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = []
  let isRefusing = false
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, { envelope }, done) {
      text(stream).then((raw) => {
        if (isRefusing) return done(new Error('no mail today'))
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw, body: bodyOf(raw) })
        done()
      }, done)
    },
    ...options,
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse(next) {
      isRefusing = next
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The part after the headers, which is quoted-printable or plain. */
function bodyOf(raw: string): string {
  const [head = '', body = ''] = raw.split(/\r\n\r\n(.*)/s)
  if (!/content-transfer-encoding: quoted-printable/i.test(head)) return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
