import { randomUUID } from 'node:crypto'
import {
  checkpointTrainingHold,
  confirmTrainingHolds,
  releaseTrainingHold,
  settleTrainingHold,
  takeTrainingHold,
} from '@ratchet/contracts/internal-training-money'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { serveTestApp, testApp } from '@ratchet/testing/service-app'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import type { Request, Response, Router } from 'express'
import { createHttpJobMoney, holdIdOf } from './http-job-money.ts'
import type { JobHold } from './job-money.ts'

/** Of a request. `refuses`: 503 without an effect. `forgets`: the connection breaks after the effect. */
type Fault = 'none' | 'refuses' | 'forgets'

interface Held {
  takenNano: bigint
  costNano: bigint
  isOpen: boolean
}

/** Inference as far as training calls it, with one wallet of 1,000. */
function ledgerRoutes(router: Router, { holds, faults }: { holds: Map<string, Held>; faults: Fault[] }): void {
  router.use((_request: Request, response: Response, next: () => void) => {
    const fault = faults.shift()
    if (fault === 'refuses') throw new ServiceError('service_unavailable', 'Not now.')
    if (fault === 'forgets') response.json = () => response.destroy() as Response
    next()
  })
  mountJson(router, takeTrainingHold, async ({ body }) => {
    const takenNano = BigInt(body.amount_nano)
    if (takenNano > 1_000n) throw new ServiceError('insufficient_balance', 'Too little.')
    const held = holds.get(body.hold_id) ?? { takenNano, costNano: 0n, isOpen: true }
    if (!held.isOpen) throw new ServiceError('conflict', 'The hold was settled.')
    holds.set(body.hold_id, held)
    return { reply: { held_nano: String(held.takenNano), job_cost_nano: '0' } }
  })
  for (const endpoint of [checkpointTrainingHold, settleTrainingHold]) {
    mountJson(router, endpoint, async ({ params, body }) => {
      const held = holds.get(params.hold_id)
      if (held === undefined) throw new ServiceError('not_found', 'No such hold.')
      const asked = BigInt(body.cost_nano)
      if (held.isOpen && asked > held.costNano) held.costNano = asked < held.takenNano ? asked : held.takenNano
      if (endpoint === settleTrainingHold) held.isOpen = false
      const state = held.isOpen ? ('open' as const) : ('posted' as const)
      return { reply: { state, held_nano: '0', job_cost_nano: String(held.costNano) } }
    })
  }
  mount(router, releaseTrainingHold, ({ params }) => {
    const held = holds.get(params.hold_id)
    if (held !== undefined) held.isOpen = false
    return { state: 'posted' as const, held_nano: '0', job_cost_nano: '0' }
  })
  mountJson(router, confirmTrainingHolds, async ({ body }) => {
    const open = body.hold_ids.filter((id) => holds.get(id)?.isOpen)
    const at = '2026-11-29T00:00:00Z'
    const rest = { job_id: randomUUID(), held_nano: '1', job_cost_nano: '0', opened_at: at, expires_at: at }
    return { reply: { object: 'list' as const, data: open.map((hold_id) => ({ hold_id, ...rest })) } }
  })
}

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

async function connect(faults: Fault[] = []) {
  const holds = new Map<string, Held>()
  const now = () => new Date()
  const { app, key } = testApp({
    audience: 'inference',
    now,
    routes: (router) => ledgerRoutes(router, { holds, faults }),
    requestId: randomUUID,
  })
  const server = await serveTestApp(app)
  stops.push(server.stop)
  const connection = { audience: 'inference', url: server.origin, keys: [keyOfCaller(key, 'training')] } as const
  const inference = connectService({ ...connection, connections: 2 }, { now, onStop: (stop) => stops.push(stop) })
  const [delays, uncovered]: [number[], bigint[]] = [[], []]
  const money = createHttpJobMoney({
    inference,
    delay: async (ms) => delays.push(ms),
    random: () => 0,
    onUncovered: (_hold, nano) => uncovered.push(nano),
  })
  return { money, holds, delays, uncovered, server }
}

const newHold = (changes: Partial<JobHold> = {}): JobHold => ({
  workspaceId: randomUUID(),
  jobId: randomUUID(),
  holdNumber: 1,
  createdBy: randomUUID(),
  model: 'sim/large',
  ...changes,
})

it('holds, charges and settles, each call once, although answers are lost and calls are refused', async () => {
  const { money, holds, delays } = await connect([
    ...(['forgets', 'refuses', 'none'] as const),
    ...(['forgets', 'none'] as const),
    ...(['refuses', 'forgets', 'none'] as const),
  ])
  const hold = newHold()
  expect(await money.hold(hold, 500n)).toBe(true)
  await money.checkpoint(hold, 300n, 3000n)
  await money.settle(hold, 400n, 4000n)
  expect([...holds]).toEqual([[holdIdOf(hold), { takenNano: 500n, costNano: 400n, isOpen: false }]])
  expect(delays).toEqual([100, 200, 100, 100, 200])
})

it('reports that the wallet does not cover a hold, and does not try that again', async () => {
  const { money, holds, delays } = await connect()
  expect(await money.hold(newHold(), 1_001n)).toBe(false)
  expect([holds.size, delays]).toEqual([0, []])
})

it('names every hold of a job differently, and the same hold always the same', () => {
  const hold = newHold()
  expect(holdIdOf(newHold({ jobId: hold.jobId }))).toBe(holdIdOf(hold))
  const others = [newHold({ jobId: hold.jobId, holdNumber: 2 }), newHold()]
  expect(others.map(holdIdOf)).not.toContain(holdIdOf(hold))
})

it('is unavailable after four attempts, with pauses in between', async () => {
  const { money, delays } = await connect(['refuses', 'refuses', 'forgets', 'refuses'])
  await expect(money.release(newHold())).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(delays).toEqual([100, 200, 400])
})

it('is unavailable when inference cannot be reached', async () => {
  const { money, server } = await connect()
  await server.stop()
  await expect(money.checkpoint(newHold(), 1n, 10n)).rejects.toMatchObject({ code: 'service_unavailable' })
})

it('throws at once what a repetition would not change', async () => {
  const { money, delays } = await connect()
  const hold = newHold()
  await expect(money.settle(hold, 1n, 10n)).rejects.toMatchObject({ code: 'not_found' })
  await money.hold(hold, 10n)
  await money.release(hold)
  await expect(money.hold(hold, 10n)).rejects.toMatchObject({ code: 'conflict' })
  expect(delays).toEqual([])
})

it('reports what a hold does not cover', async () => {
  const { money, uncovered } = await connect()
  const hold = newHold()
  await money.hold(hold, 10n)
  await money.checkpoint(hold, 10n, 100n)
  await money.settle(hold, 13n, 130n)
  expect(uncovered).toEqual([3n])
})

it('names the holds that are not open any more', async () => {
  const { money } = await connect()
  const [open, ended] = [newHold(), newHold()]
  await money.hold(open, 10n)
  await money.hold(ended, 10n)
  await money.release(ended)
  expect(await money.keep(open.workspaceId, [open, ended])).toEqual([ended])
})
