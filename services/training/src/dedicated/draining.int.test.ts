import { type DedicatedRun, dedicatedRun } from './dedicated-run.fixture.ts'
import { requireRightCharges } from './right-charges.fixture.ts'

let run: DedicatedRun
beforeEach(async () => {
  run = await dedicatedRun({ jumps: true })
})
afterEach(() => run.drop())

/** A second costs a tenth of a cent. */
const secondNano = 1_000_000n

/** A replica that is ready, and answers a long request. */
async function busyEndpoint(settings: Parameters<DedicatedRun['create']>[0] = {}) {
  const endpoint = await run.create(settings)
  await run.pass(3)
  const [replica] = (await run.get(endpoint)).replicas
  const answering = (running: number) => run.report(endpoint, { running, byReplica: { [replica?.id ?? '']: running } })
  await answering(1)
  return { endpoint, answering }
}

async function isSettled(): Promise<void> {
  expect(run.money.held()).toBe(0n)
  expect(await run.rows(`SELECT 1 FROM replica_window WHERE state <> 'posted'`)).toEqual([])
  await requireRightCharges(run)
}

it('charges a replica that answers long requests after its endpoint was stopped', async () => {
  const { endpoint, answering } = await busyEndpoint()
  await run.endpoints.stop(endpoint, 'user')
  await run.pass()
  const before = (await run.get(endpoint)).spend.totalNano
  // Over the end of two windows.
  for (let minutes = 0; minutes < 9; minutes += 1) {
    await run.jump(60)
    await answering(1)
    await run.rows(`UPDATE replica SET seen_at = now() RETURNING 1`)
    await run.pass()
  }
  expect(await run.get(endpoint)).toMatchObject({ state: 'STOPPING', replicas: [{ state: 'draining' }] })
  await answering(0)
  await run.pass(2)
  expect(await run.get(endpoint)).toMatchObject({ state: 'STOPPED', replicas: [], heldNano: 0n })
  await isSettled()
  expect(run.money.charged() - before).toBeGreaterThanOrEqual(540n * secondNano)
  expect(run.money.charged() - before).toBeLessThan(570n * secondNano)
})

it('ends it half a minute after the wallet does not cover it any more', async () => {
  const { endpoint, answering } = await busyEndpoint()
  run.money.availableNano = 0n
  await run.endpoints.stop(endpoint, 'user')
  await run.pass()
  const [{ left }] = await run.rows(`SELECT 600 - mod(floor(extract(epoch FROM now())), 300)::int AS left`)
  await run.jump(left + 31)
  await answering(1)
  await run.rows(`UPDATE replica SET seen_at = now() RETURNING 1`)
  await run.pass(2)
  expect(await run.get(endpoint)).toMatchObject({ state: 'STOPPED', replicas: [], heldNano: 0n })
  await isSettled()
})
