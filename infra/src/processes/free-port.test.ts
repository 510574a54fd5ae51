import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { choosePort, isPortFree } from './free-port.ts'

let taken: Server
let port = 0

beforeEach(async () => {
  taken = createServer().listen(await anyFreePort(), '127.0.0.1')
  await once(taken, 'listening')
  const address = taken.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})

afterEach(() => {
  taken.close()
})

it('chooses the preferred port when it is free', async () => {
  const free = await anyFreePort()
  expect(await choosePort({ preferred: free, reserved: new Set([free]) })).toBe(free)
})

it('chooses a higher port when the preferred one is in use', async () => {
  expect(await isPortFree(port)).toBe(false)
  expect(await choosePort({ preferred: port })).toBeGreaterThan(port)
})

it('does not choose a reserved port', async () => {
  const reserved = new Set([port + 1, port + 2])
  expect(reserved).not.toContain(await choosePort({ preferred: port, reserved }))
})

it('detects a server that listens on all addresses', async () => {
  const everywhere = createServer().listen(await anyFreePort(), '0.0.0.0')
  await once(everywhere, 'listening')
  const address = everywhere.address()
  try {
    expect(await isPortFree(typeof address === 'object' && address !== null ? address.port : 0)).toBe(false)
  } finally {
    everywhere.close()
  }
})
