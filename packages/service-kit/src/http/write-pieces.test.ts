import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import request from 'supertest'
import { writePieces } from './write-pieces.ts'

const type = 'text/plain; charset=utf-8'

function appOf(pieces: () => AsyncGenerator<string>) {
  const app = express()
  app.get('/', (_request, response) => writePieces(response, type, pieces()))
  app.use(
    ((_error, _request, response, _next) => void response.status(500).send('failed')) as express.ErrorRequestHandler,
  )
  return app
}

it('writes all pieces except empty ones, and an empty body for no pieces', async () => {
  const some = await request(
    appOf(async function* () {
      yield* ['', 'Grüße ', '', '\u{1f600}']
    }),
  ).get('/')
  expect([some.text, some.headers['content-type']]).toEqual(['Grüße \u{1f600}', type])
  const none = await request(appOf(async function* () {})).get('/')
  expect([none.status, none.text]).toEqual([200, ''])
})

it('answers a failure before the first piece with an error', async () => {
  const { status, text } = await request(
    appOf(async function* () {
      yield* [] as string[]
      throw new Error('no page')
    }),
  ).get('/')
  expect([status, text]).toEqual([500, 'failed'])
})

it('cuts the answer when a later piece fails, so that the client notices', async () => {
  const app = appOf(async function* () {
    yield 'a'.repeat(100_000)
    throw new Error('the database is unavailable')
  })
  await expect(request(app).get('/')).rejects.toThrow('aborted')
})

it('creates no more pieces than the client reads, and stops when it disconnects', async () => {
  let made = 0
  const ended = Promise.withResolvers<void>()
  const server = createServer(
    appOf(async function* () {
      try {
        for (;;) {
          made += 1
          yield 'x'.repeat(65_536)
        }
      } finally {
        ended.resolve()
      }
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length
    if (bytes > 1_000_000) break
  }
  await ended.promise
  // The buffers of both sockets, besides what was read.
  expect(made * 65_536 - bytes).toBeLessThan(12_000_000)
  server.close()
  server.closeAllConnections()
})
