import { eventually } from '@ratchet/testing/eventually'
import { ledgerAtRest } from '../ledger-oracle.ts'
import { describeFault, type Fault } from './describe-fault.ts'
import type { Asked, Begun } from './fault-clients.ts'
import { percentile, statusesOf, tenths } from './load.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './own-stores.ts'

let postgres: OwnPostgres

const streams = 200
const asksMeanwhile = 20

describeFault(
  {
    id: 'F23',
    title: 'Postgres is killed during many streams',
    promise: 'streams finish; new calls receive 503 and Retry-After within 300 ms; every delivered answer is charged',
    async fleet(onStop) {
      postgres = await ownPostgres(onStop)
      const stores = await storesWith(onStop, { databaseUrl: await migratedDatabase(postgres) })
      return { stores, workspace: { balanceUsd: '1000.00' }, env: { DATABASE_SILENCE_MS: '250' } }
    },
  },
  (fault) => {
    it('finishes running streams, refuses new requests, and charges when Postgres is available again', async () => {
      const begun = await beginStreams(fault)
      await postgres.end('SIGQUIT')
      const reading = Promise.all(begun.map(({ read }) => read()))
      const refused = await askMany(fault)
      expectAllSentAway(refused)
      fault.note('streams under way', streams)
      fault.note('503 after, slowest, ms', tenths(percentile(refused, 1)))
      expectAllWhole(await reading)
      await postgres.start()
      fault.note('all charged after it was back, s', tenths(await secondsUntilCharged(fault)))
      expect(await fault.ask({ model: 'sim/echo' })).toMatchObject({ status: 200 })
    }, 90_000)

    it('loses no charge when inference dies meanwhile', async () => {
      const begun = await beginStreams(fault)
      await postgres.end('SIGQUIT')
      expectAllWhole(await Promise.all(begun.map(({ read }) => read())))
      fault.fleet.inference.signal('SIGKILL')
      await fault.fleet.inference.exited
      const steps = [() => postgres.start(), () => fault.fleet.restartInference()]
      for (const step of fault.random() < 0.5 ? steps : steps.toReversed()) await step()
      await secondsUntilCharged(fault)
    }, 90_000)
  },
)

/** Begins streams of some seconds, all of different lengths. */
function beginStreams({ begin, random }: Fault): Promise<readonly Begun[]> {
  const begun = Array.from({ length: streams }, () =>
    begin({ model: 'sim/pace-200', stream: true, body: { max_tokens: 20 + Math.floor(10 * random()) } }),
  )
  return Promise.all(begun)
}

async function askMany({ ask }: Fault): Promise<readonly Asked[]> {
  const asked: Asked[] = []
  for (let i = 0; i < asksMeanwhile; i++) asked.push(await ask({ model: 'sim/echo', stream: i % 2 === 0 }))
  return asked
}

function expectAllSentAway(asked: readonly Asked[]): void {
  expect(statusesOf(asked)).toEqual({ 503: asked.length })
  for (const { headers, text } of asked) {
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'service_unavailable' } })
  }
  expect(percentile(asked, 1)).toBeLessThan(300)
}

function expectAllWhole(asked: readonly Asked[]): void {
  expect(statusesOf(asked)).toEqual({ 200: asked.length })
  expect(asked.filter(({ whole }) => !whole)).toEqual([])
}

/** Waits until nothing is held. The checks after the fault verify that all is charged once. */
async function secondsUntilCharged({ fleet }: Fault): Promise<number> {
  const startedAt = performance.now()
  const { violations } = await ledgerAtRest(fleet, fleet.workspace)
  expect(violations).toEqual([])
  // The edge is connected again as well.
  await eventually(async () => (await fetch(`${fleet.url}/readyz`)).status === 200, { withinMs: 45_000 })
  return (performance.now() - startedAt) / 1_000
}
