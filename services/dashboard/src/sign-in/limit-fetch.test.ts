import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { limitFetch } from './limit-fetch.ts'

const fetch = limitFetch(globalThis.fetch, { maxBytes: 100_000, totalMs: 500 })
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('answers as the server does', async () => {
  const url = await serve((_request, response) => response.writeHead(418, { 'x-a': 'b' }).end('{"a":1}'))
  const answer = await fetch(url)
  expect([answer.status, answer.headers.get('x-a'), await answer.json()]).toEqual([418, 'b', { a: 1 }])
  const empty = await fetch(await serve((_request, response) => response.writeHead(204).end()))
  expect([empty.status, await empty.text()]).toEqual([204, ''])
})

it('refuses an answer that is too long, also after it was compressed', async () => {
  const long = await serve((_request, response) => response.end('x'.repeat(100_001)))
  await expect(fetch(long)).rejects.toThrow('more than 100000 bytes')
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const small = await serve((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  await expect(fetch(small)).rejects.toThrow('more than 100000 bytes')
})

it('does not wait for an answer that never ends, and keeps the signal of the caller', async () => {
  const slow = await serve((_request, response) => response.writeHead(200).write('x'))
  await expect(fetch(slow)).rejects.toMatchObject({ name: 'TimeoutError' })
  await expect(fetch(slow, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
})
