import { fixedClock } from '@ratchet/testing/fixed-clock'
import express from 'express'
import request from 'supertest'
import { createDrain } from './drain.ts'
import { answerHealthz, answerReadyz, type Check } from './health.ts'

function probes(checks: Record<string, Check>) {
  const clock = fixedClock()
  const drain = createDrain()
  const app = express()
  app.get('/healthz', answerHealthz)
  app.get('/readyz', answerReadyz({ drain, checks, now: clock.now }))
  return { app, clock, drain }
}

const passes: Check = async () => 'ok'
const fails: Check = async () => {
  throw new Error('no')
}

it('is ready when every check passes', async () => {
  const { app } = probes({ postgres: passes, redis: passes })

  const response = await request(app).get('/readyz')

  expect([response.status, response.body]).toEqual([200, { status: 'ready' }])
})

it('says when to ask again, failing or draining', async () => {
  const { app, drain } = probes({ postgres: fails })
  const failing = await request(app).get('/readyz')

  drain.begin()
  const draining = await request(app).get('/readyz')

  expect([failing, draining].map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [503, '1'],
    [503, '1'],
  ])
})

it('is not ready when one fails, and says which', async () => {
  const throwsAtOnce: Check = () => {
    throw new Error('no')
  }
  const { app } = probes({ postgres: fails, redis: passes, catalog: throwsAtOnce })

  const response = await request(app).get('/readyz')

  expect([response.status, response.body]).toEqual([503, { status: 'not ready', failing: ['postgres', 'catalog'] }])
})

it('answers within about a second when a check hangs', async () => {
  const { app } = probes({ postgres: () => new Promise(() => undefined), redis: passes })
  const started = performance.now()

  const response = await request(app).get('/readyz')

  expect([response.status, response.body]).toEqual([503, { status: 'not ready', failing: ['postgres'] }])
  expect(performance.now() - started).toBeLessThan(1_500)
})

it('asks its dependencies once for many probes, and again half a second later', async () => {
  let asked = 0
  const { app, clock } = probes({ postgres: async () => ++asked })

  await Promise.all(Array.from({ length: 5 }, () => request(app).get('/readyz')))
  expect(asked).toBe(1)
  clock.advance(501)
  await request(app).get('/readyz')
  expect(asked).toBe(2)
})

it('notices when a dependency comes back', async () => {
  let isUp = false
  const { app, clock } = probes({ postgres: async () => (isUp ? passes() : fails()) })
  expect((await request(app).get('/readyz')).status).toBe(503)

  isUp = true
  clock.advance(501)

  expect((await request(app).get('/readyz')).status).toBe(200)
})

it('is not ready while draining, without asking anybody', async () => {
  const { app, drain } = probes({ postgres: () => Promise.reject(new Error('asked')) })

  drain.begin()
  const response = await request(app).get('/readyz')

  expect([response.status, response.body]).toEqual([503, { status: 'draining' }])
})

it('is alive whatever its dependencies do, so a lost database restarts nothing', async () => {
  const { app, drain } = probes({ postgres: () => new Promise(() => undefined) })
  drain.begin()

  const response = await request(app).get('/healthz')

  expect([response.status, response.body]).toEqual([200, { status: 'ok' }])
})
