import { fixedClock } from '@ratchet/testing/fixed-clock'
import express from 'express'
import request from 'supertest'
import { createDrain } from '../process/drain.ts'
import { answerHealthz, answerLivez, answerReadyz, answerStartupz, type Check, type HealthOptions } from './health.ts'

function probes(
  checks: Record<string, Check>,
  more: Pick<HealthOptions, 'startChecks' | 'lifeChecks' | 'instanceId'> = {},
) {
  const clock = fixedClock()
  const drain = createDrain()
  const app = express()
  const options = { drain, checks, ...more, now: clock.now }
  app.get('/healthz', answerHealthz)
  app.get('/livez', answerLivez(options))
  app.get('/startupz', answerStartupz(options))
  app.get('/readyz', answerReadyz(options))
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

it('names its fleet when it is ready, so that another one on its port is not taken for it', async () => {
  const { app } = probes({}, { instanceId: 'a-fleet' })
  expect((await request(app).get('/readyz')).body).toEqual({ status: 'ready', instance: 'a-fleet' })
})

it('answers with Retry-After when a check fails and while it drains', async () => {
  const { app, drain } = probes({ postgres: fails })
  const failing = await request(app).get('/readyz')

  drain.begin()
  const draining = await request(app).get('/readyz')

  expect([failing, draining].map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
    [503, '1'],
    [503, '1'],
  ])
})

it('is not ready when a check fails, and names it', async () => {
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

it('reuses the result of checks for half a second', async () => {
  let asked = 0
  const { app, clock } = probes({ postgres: async () => ++asked })

  await Promise.all(Array.from({ length: 5 }, () => request(app).get('/readyz')))
  expect(asked).toBe(1)
  clock.advance(501)
  await request(app).get('/readyz')
  expect(asked).toBe(2)
})

it('is ready again when a dependency is available again', async () => {
  let isUp = false
  const { app, clock } = probes({ postgres: async () => (isUp ? passes() : fails()) })
  expect((await request(app).get('/readyz')).status).toBe(503)

  isUp = true
  clock.advance(501)

  expect((await request(app).get('/readyz')).status).toBe(200)
})

it('is not ready while it drains, and runs no check', async () => {
  const { app, drain } = probes({ postgres: () => Promise.reject(new Error('asked')) })

  drain.begin()
  const response = await request(app).get('/readyz')

  expect([response.status, response.body]).toEqual([503, { status: 'draining' }])
})

it('is alive whatever the state of its dependencies, so that a lost database restarts nothing', async () => {
  const { app, drain } = probes({ postgres: () => new Promise(() => undefined) })
  drain.begin()

  const response = await request(app).get('/healthz')

  expect([response.status, response.body]).toEqual([200, { status: 'ok' }])
})

it('is alive while its database hangs, and not when its own work is stuck', async () => {
  const hangs: Check = () => new Promise(() => undefined)
  const { app } = probes({ postgres: hangs }, { startChecks: { schema: hangs } })
  const stuck = probes({ postgres: passes }, { lifeChecks: { progress: fails } })

  const [alive, dead] = [await request(app).get('/livez'), await request(stuck.app).get('/livez')]

  expect([alive.status, alive.body]).toEqual([200, { status: 'alive' }])
  expect([dead.status, dead.body]).toEqual([503, { status: 'stuck', failing: ['progress'] }])
})

it('has started once its start checks and readiness checks passed, and does not repeat them', async () => {
  const is = { migrated: false, up: false }
  let asked = 0
  const schema: Check = async () => {
    asked += 1
    if (!is.migrated) throw new Error('not yet')
  }
  const { app } = probes({ postgres: async () => (is.up ? passes() : fails()) }, { startChecks: { schema } })
  const start = async () => {
    const { status, body } = await request(app).get('/startupz')
    return [status, body]
  }

  expect(await start()).toEqual([503, { status: 'not started', failing: ['schema', 'postgres'] }])
  is.up = true
  expect(await start()).toEqual([503, { status: 'not started', failing: ['schema'] }])
  is.migrated = true
  expect(await start()).toEqual([200, { status: 'started' }])
  Object.assign(is, { migrated: false, up: false })
  expect(await start()).toEqual([200, { status: 'started' }])
  expect(asked).toBe(3)
})
