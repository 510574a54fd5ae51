import { clickHouseUnderTest } from './clickhouse-under-test.fixture.ts'
import { exchangePicksContract } from './exchange-picks.contract.ts'
import { exchangeReadsContract } from './exchange-reads.contract.ts'
import { exchangeWritesContract } from './exchange-writes.contract.ts'
import { traceStepsContract } from './trace-steps.contract.ts'

describe('the store of exchanges in ClickHouse', () => {
  exchangeWritesContract(clickHouseUnderTest)
  exchangeReadsContract(clickHouseUnderTest)
  exchangePicksContract(clickHouseUnderTest)
  traceStepsContract(clickHouseUnderTest)
})
