import { auditLedger } from '@ratchet/db/audit-ledger'
import { mainLedger } from '@ratchet/db/ledger-urls'
import { type LedgerPair, ledgerPair, otherLedger } from '../ledger/ledger-pair.fixture.ts'
import { createPgWorkspaceLedgers } from '../ledger/pg-workspace-ledgers.ts'
import { jobOf, openJobHolds } from './job-holds.fixture.ts'
import { createShardedJobHolds } from './sharded-job-holds.ts'

let pair: LedgerPair
beforeAll(async () => {
  pair = await ledgerPair()
})
afterAll(() => pair.drop())

/** The holds as a process serves them; the second ledger may have no database there. */
function sharded(names: readonly string[] = [mainLedger, otherLedger]) {
  const ledgers = [pair.main, pair.other].map((database, index) => ({
    name: index === 0 ? mainLedger : otherLedger,
    workspaces: createPgWorkspaceLedgers({ pool: database.pool, silenceMs: 5_000 }),
    jobHolds: openJobHolds(database),
  }))
  const [main] = ledgers
  if (main === undefined) throw new Error('no ledger')
  return createShardedJobHolds(
    ledgers.filter(({ name }) => names.includes(name)),
    main.workspaces,
  )
}

it('holds, charges and settles in the ledger of the workspace', async () => {
  const holds = sharded()
  const jobs = [jobOf(await pair.newWallet(1_000n)), jobOf(await pair.newWallet(1_000n))]
  expect(new Set(jobs.map(({ named }) => pair.of(named.workspaceId)))).toEqual(new Set(pair.both))
  for (const job of jobs) {
    const { workspaceId, holdId } = job.named
    expect(await holds.hold(job.taking(1_001n))).toMatchObject({ outcome: 'refused' })
    expect(await holds.hold(job.taking(500n))).toMatchObject({ outcome: 'held' })
    expect(await holds.checkpoint(job.costing(200n))).toMatchObject({ heldNano: 300n, chargedNano: 200n })
    expect(await holds.confirm(workspaceId, [holdId])).toMatchObject([{ holdId, heldNano: 300n }])
    expect(await pair.of(workspaceId).wallet(workspaceId)).toEqual({ balanceNano: 800n, heldNano: 300n })
    await holds.settle(job.costing(300n))
    expect(await pair.of(workspaceId).wallet(workspaceId)).toEqual({ balanceNano: 700n, heldNano: 0n })
  }
  const audits = [auditLedger(pair.main.pool), auditLedger(pair.other.pool, otherLedger)]
  expect((await Promise.all(audits)).flatMap(({ violations }) => violations)).toEqual([])
})

it('is unavailable, and refuses nothing, for a workspace whose ledger the process does not have', async () => {
  await pair.newWallet(1_000n)
  const job = jobOf(await pair.newWallet(1_000n))
  const holds = sharded([mainLedger])
  for (const call of [holds.hold(job.taking(10n)), holds.checkpoint(job.costing(1n)), holds.release(job.named)]) {
    await expect(call).rejects.toMatchObject({ code: 'service_unavailable' })
  }
})
