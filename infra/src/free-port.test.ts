import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { anyFreePort, choosePort, isPortFree } from './free-port.ts'

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

it('keeps to the preferred port while it is free', async () => {
  const free = await anyFreePort()
  expect(await choosePort({ preferred: free, reserved: new Set([free]) })).toBe(free)
})

it('goes on to a higher one when somebody listens there', async () => {
  expect(await isPortFree(port)).toBe(false)
  expect(await choosePort({ preferred: port })).toBeGreaterThan(port)
})

it('leaves ports alone that others are going to use', async () => {
  const reserved = new Set([port + 1, port + 2])
  expect(reserved).not.toContain(await choosePort({ preferred: port, reserved }))
})

it('sees a server that listens on all addresses', async () => {
  const everywhere = createServer().listen(await anyFreePort(), '0.0.0.0')
  await once(everywhere, 'listening')
  const address = everywhere.address()
  try {
    expect(await isPortFree(typeof address === 'object' && address !== null ? address.port : 0)).toBe(false)
  } finally {
    everywhere.close()
  }
})
