import type { RequestListener, ServerResponse } from 'node:http'
import { eventually } from '@ratchet/testing/eventually'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { anyFreePort } from '../process/any-free-port.ts'
import { createDrain } from '../process/drain.ts'
import { runStops, type Stop } from '../process/run-process.ts'
import { serveHttp } from './serve-http.ts'

const stops: Stop[] = []
afterEach(() => runStops(stops, silentLogger))

function options(listener: RequestListener) {
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: new AbortController().signal }
  return { listener, host: '127.0.0.1', drain: createDrain(), drainDelayMs: 0, drainTimeoutMs: 60_000, lifecycle }
}

async function refuses(port: number): Promise<void> {
  await eventually(() => expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow())
}

it('drains and closes together with the first one', async () => {
  const second = await anyFreePort()
  let stream: ServerResponse | undefined
  const listener: RequestListener = (_request, response) => {
    stream = response
  }
  const first = await serveHttp({
    ...options((_request, response) => response.end()),
    port: 0,
    alsoAt: [{ listener, port: second }],
  })
  const asked = fetch(`http://127.0.0.1:${second}`)
  await eventually(() => stream !== undefined)
  stream?.write('one ')
  const answer = await asked
  const stopping = runStops(stops, silentLogger)
  await Promise.all([refuses(first), refuses(second)])
  stream?.end('two')
  expect(await answer.text()).toBe('one two')
  await stopping
})

it('fails at the start when its port is used, and the first one is closed', async () => {
  const listener: RequestListener = (_request, response) => response.end()
  const taken = await serveHttp({ ...options(listener), port: 0 })
  const port = await anyFreePort()
  const starting = serveHttp({ ...options(listener), port, alsoAt: [{ listener, port: taken }] })
  await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await runStops(stops, silentLogger)
  await refuses(port)
})
