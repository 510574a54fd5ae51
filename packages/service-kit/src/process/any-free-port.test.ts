import { createServer } from 'node:net'
import { anyFreePort } from './any-free-port.ts'

it('gives no port twice, below those of outgoing connections, and each can be listened on', async () => {
  const ports = await Promise.all(Array.from({ length: 500 }, () => anyFreePort()))
  expect(new Set(ports).size).toBe(500)
  expect(Math.max(...ports)).toBeLessThan(32_768)
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(ports[0], '127.0.0.1', resolve)
  })
  server.close()
})
