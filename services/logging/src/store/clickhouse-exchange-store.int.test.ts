import { eventually } from '@ratchet/testing/eventually'
import { clickHouseUnderTest } from './clickhouse-under-test.fixture.ts'
import { exchangeCountsContract } from './exchange-counts.contract.ts'
import { exchangePicksContract } from './exchange-picks.contract.ts'
import { exchangeReadsContract } from './exchange-reads.contract.ts'
import { exchangeWritesContract } from './exchange-writes.contract.ts'
import { traceStepsContract } from './trace-steps.contract.ts'

describe('the store of exchanges in ClickHouse', () => {
  exchangeWritesContract(clickHouseUnderTest)
  exchangeReadsContract(clickHouseUnderTest)
  exchangePicksContract(clickHouseUnderTest)
  exchangeCountsContract(clickHouseUnderTest)
  traceStepsContract(clickHouseUnderTest)
})

it('removes the bytes of a deleted exchange after the next sweep', async () => {
  const { store, put, addWorkspace, clickHouse, drop } = await clickHouseUnderTest()
  try {
    const workspaceId = '00000000-0000-7000-8000-0000000000cc'
    const scope = { workspaceId, at: new Date() }
    await addWorkspace(workspaceId, 30)
    const [id = ''] = await put(scope, [{}, {}])
    const storedRows = async () => {
      const text = `SELECT sum(rows) AS stored FROM system.parts
        WHERE database = currentDatabase() AND table = 'exchange' AND active`
      return Number((await clickHouse.read<{ stored: string }>(text, {}))[0]?.stored)
    }
    expect(await store.reads.delete(scope, id)).toBe(true)
    expect(await storedRows()).toBe(2)
    await store.retention.sweep(scope.at)
    await eventually(async () => expect(await storedRows()).toBe(1))
  } finally {
    await drop()
  }
}, 300_000)
