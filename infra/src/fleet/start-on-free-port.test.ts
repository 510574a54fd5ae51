import { createServer, type Server } from 'node:net'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { startOnFreePort } from './start-on-free-port.ts'

const servers: Server[] = []

function listen(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    servers.push(server)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

it('takes another port when another program takes the chosen one before the process listens', async () => {
  const [first, second] = [await anyFreePort(), await anyFreePort()]
  const chosen = [first, second]
  await listen(first)
  const port = await startOnFreePort(async () => chosen.shift() ?? 0, listen)
  expect(port).toBe(second)
})

it('does not try again when the process fails although its port is free', async () => {
  const port = await anyFreePort()
  let starts = 0
  const start = async () => {
    starts += 1
    throw new Error('no disk')
  }
  await expect(startOnFreePort(async () => port, start)).rejects.toThrow('no disk')
  expect(starts).toBe(1)
})
