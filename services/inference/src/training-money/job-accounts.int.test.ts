import { publicId } from '@ratchet/contracts/public-id'
import { createPgAccounts } from '../billing/pg-accounts.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { jobOf, openJobHolds } from './job-holds.fixture.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

it('shows a job in the wallet, the ledger, the usage and the statement of its workspace', async () => {
  const [holds, accounts] = [openJobHolds(database), createPgAccounts(database.pool)]
  const workspaceId = await database.newWallet(10_000n)
  const job = jobOf(workspaceId)
  await holds.hold(job.taking(1_000n))
  await holds.checkpoint(job.costing(300n))
  expect(await accounts.wallet(workspaceId)).toMatchObject({
    balanceNano: 9_700n,
    heldNano: 700n,
    openHolds: [{ billingId: job.named.holdId, holdNano: 700n, model: 'sim/large' }],
  })
  await holds.settle(job.costing(450n))
  const period = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2100-01-01T00:00:00Z') }
  const entries = await accounts.entries(workspaceId, { ...period, after: null, limit: 10 })
  const reference = publicId('fineTuningJob', job.jobId)
  expect(entries).toMatchObject([
    { reason: 'usage', amountNano: -150n, balanceNano: 9_550n, reference },
    { reason: 'usage', amountNano: -300n, balanceNano: 9_700n, reference },
    { reason: 'top_up' },
  ])
  const charged = { requests: 1, promptTokens: 900, completionTokens: 0, costNano: 450n }
  const usage = await accounts.usage(workspaceId, { ...period, groupBy: 'purpose' })
  expect(usage).toMatchObject({ chargesNano: 450n, unattributedNano: 0n, groups: [{ group: 'training', ...charged }] })
  expect(await accounts.statement(workspaceId, period)).toMatchObject({
    sums: { chargesNano: 450n, closingNano: 9_550n },
    usage: { unattributedNano: 0n, groups: [{ group: 'sim/large', ...charged }] },
  })
})
