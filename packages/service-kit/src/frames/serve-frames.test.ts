import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type FrameServer, serveFrames } from './serve-frames.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'frames-'))
const address = { path: path.join(folder, 'new', 'inference.sock') }
const servers: FrameServer[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.destroy()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function start(): Promise<{ readonly server: FrameServer; readonly refusals: string[] }> {
  const refusals: string[] = []
  const keys = [{ id: 'k1', secret: randomBytes(32) }]
  const server = await serveFrames(address, { keys, handle() {}, onRefused: (reason) => refusals.push(reason) })
  servers.push(server)
  return { server, refusals }
}

/** Connects, sends what proves nothing, and waits until the server closes the connection. */
async function sendNonsense(): Promise<void> {
  const socket = connect(address.path).on('error', () => undefined)
  socket.write(Buffer.from('00000001ff', 'hex'))
  await once(socket.resume(), 'close')
}

it('listens on a socket that only its user can open, in place of a file that an ended process left', async () => {
  await start()
  expect(statSync(address.path).mode & 0o777).toBe(0o600)
  for (const server of servers.splice(0)) server.destroy()
  writeFileSync(`${address.path}.${process.pid}`, '')
  await start()
  expect(statSync(address.path).isSocket()).toBe(true)
})

it('is replaced by a server that is started at the same path', async () => {
  const former = await start()
  await sendNonsense()
  const later = await start()
  former.server.destroy()
  await former.server.closed()
  await sendNonsense()
  expect([former.refusals, later.refusals]).toEqual([['unproved'], ['unproved']])
})

it('closes connections that are not proved when it drains', async () => {
  const { server } = await start()
  const socket = connect(address.path)
  const [greeting] = await once(socket, 'data')
  expect(greeting.toString('latin1')).toContain('ratchet-frames/2')
  server.drain()
  await once(socket.resume(), 'close')
  await server.closed()
})
