import { type AddressInfo, connect } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import express from 'express'
import { bodyBytes } from './body-bytes.ts'
import { asServiceError } from './service-error.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A server that counts the bytes of bodies, at most 100,000, and records how they ended. */
async function serve({ stopAfter = Number.POSITIVE_INFINITY } = {}) {
  const outcomes: string[] = []
  const app = express()
  app.post('/', async (request, response) => {
    try {
      const bytes = await bodyBytes(request, 100_000, async (content) => {
        let count = 0
        for await (const chunk of content) {
          count += chunk.length
          if (count > stopAfter) throw new RangeError('enough')
        }
        return count
      })
      response.json({ bytes })
    } catch (error) {
      const { status, code } = asServiceError(error)
      outcomes.push(code)
      if (!response.destroyed) response.status(status).json({ code })
    }
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  stops.push(
    () => server.closeAllConnections(),
    () => void server.close(),
  )
  const { port } = server.address() as AddressInfo
  const post = (body: string) => fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })
  return { port, outcomes, post }
}

it.each([0, 1, 100_000])('reads a body of %i bytes', async (bytes) => {
  const { post } = await serve()
  expect(await (await post('x'.repeat(bytes))).json()).toEqual({ bytes })
})

it('refuses a body that is too large, and the client receives the answer', async () => {
  const { post } = await serve()
  const answer = await post('x'.repeat(5_000_000))
  expect([answer.status, await answer.json()]).toEqual([413, { code: 'request_too_large' }])
})

it('delivers the error when the body is not read completely', async () => {
  const { post } = await serve({ stopAfter: 10 })
  expect(await post('x'.repeat(90_000))).toHaveProperty('status', 500)
})

it('ends when the client disconnects in the middle', async () => {
  const { port, outcomes } = await serve()
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf', () => socket.destroy())
  await eventually(() => expect(outcomes).toEqual(['invalid_request']))
})
