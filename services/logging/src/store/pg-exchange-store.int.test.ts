import { exchangeCountsContract } from './exchange-counts.contract.ts'
import { exchangePicksContract } from './exchange-picks.contract.ts'
import { exchangeReadsContract } from './exchange-reads.contract.ts'
import { exchangeWritesContract } from './exchange-writes.contract.ts'
import { pgStoreUnderTest } from './store-under-test.fixture.ts'
import { traceStepsContract } from './trace-steps.contract.ts'

describe('the store of exchanges in Postgres', () => {
  exchangeWritesContract(pgStoreUnderTest)
  exchangeReadsContract(pgStoreUnderTest)
  exchangePicksContract(pgStoreUnderTest)
  exchangeCountsContract(pgStoreUnderTest)
  traceStepsContract(pgStoreUnderTest)
})
