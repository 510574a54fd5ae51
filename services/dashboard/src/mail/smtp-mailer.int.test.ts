import { type AddressInfo, createServer } from 'node:net'
import { createSmtpMailer } from './smtp-mailer.ts'
import { startSmtpServer, type TestSmtpServer } from './smtp-server.fixture.ts'

const from = 'Ratchet <ratchet@example.com>'
const mail = { to: 'ann@example.com', subject: 'Grüße 東京', text: 'Ä line.\n\nhttps://ratchet.example/invite/abc\n' }
const servers: TestSmtpServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop())))

async function started(options: Parameters<typeof startSmtpServer>[0] = {}): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options)
  servers.push(server)
  return server
}

it('hands a mail over, with sender, one receiver and text as they are', async () => {
  const server = await started()
  const mailer = createSmtpMailer({ url: server.url, from })
  await mailer.send(mail)
  mailer.close()
  const [received] = server.received
  expect(received).toMatchObject({ from: 'ratchet@example.com', to: ['ann@example.com'] })
  expect(received?.body.replaceAll('\r\n', '\n').trim()).toBe(mail.text.trim())
  expect(received?.raw).toMatch(/^From: Ratchet <ratchet@example\.com>\r$/m)
})

it.each([
  ['a subject', { ...mail, subject: 'a\r\nBcc: all@evil.example' }],
  ['an address', { ...mail, to: 'ann@example.com, all@evil.example' }],
  ['an address of two lines', { ...mail, to: 'ann@example.com\r\nBcc: all@evil.example' }],
])('sends to nobody else because of %s', async (_what, hostile) => {
  const server = await started()
  const mailer = createSmtpMailer({ url: server.url, from })
  await mailer.send(hostile).catch(() => undefined)
  mailer.close()
  expect(server.received.flatMap(({ to }) => to)).not.toContain('all@evil.example')
  expect(server.received.map(({ raw }) => raw).join('')).not.toMatch(/^bcc:/im)
})

it('signs in with the password of the address', async () => {
  const logins: unknown[] = []
  const server = await started({
    authOptional: false,
    onAuth({ username, password }, _session, done) {
      logins.push([username, password])
      done(null, { user: username })
    },
    allowInsecureAuth: true,
  })
  const mailer = createSmtpMailer({ url: server.url.replace('//', '//gate%40way:p%2Fw@'), from })
  await mailer.send(mail)
  mailer.close()
  expect(logins).toEqual([['gate@way', 'p/w']])
})

it('never sends a password without TLS to another machine', async () => {
  const logins: unknown[] = []
  const server = await started({
    onAuth(login, _session, done) {
      logins.push(login)
      done(null, { user: 'x' })
    },
    allowInsecureAuth: true,
  })
  // Another name of this machine, which the mailer does not know as that.
  const url = server.url.replace('//127.0.0.1', '//user:secret@127.0.0.2')
  const mailer = createSmtpMailer({ url, from })
  await expect(mailer.send(mail)).rejects.toThrow()
  mailer.close()
  expect([logins, server.received]).toEqual([[], []])
})

it('says when the server refuses, or is not there', async () => {
  const server = await started()
  const mailer = createSmtpMailer({ url: server.url, from })
  server.refuse(true)
  await expect(mailer.send(mail)).rejects.toThrow('no mail today')
  server.refuse(false)
  await mailer.send(mail)
  expect(server.received).toHaveLength(1)
  mailer.close()
  const nowhere = createSmtpMailer({ url: 'smtp://127.0.0.1:1', from })
  await expect(nowhere.send(mail)).rejects.toThrow()
  nowhere.close()
})

it('gives up a server whose answer does not end', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    // Each line resets the limit of silence.
    const line = setInterval(() => socket.write('220-still here\r\n'), 20)
    socket.on('close', () => clearInterval(line))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const mailer = createSmtpMailer({ url: `smtp://127.0.0.1:${port}`, from, timeoutMs: 300 })
  await expect(mailer.send(mail)).rejects.toThrow()
  // Closes only when the mailer has closed its connection.
  await new Promise((resolve) => server.close(resolve))
})
