import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { eventually } from '@ratchet/testing/eventually'
import type { LedgerEvent } from '../ledger/ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgEscrowStore } from '../ledger/pg-escrow-store.ts'
import { sweepLedger } from '../ledger/pg-ledger-sweeper.ts'
import { entriesOf, expire, jobOf, openJobHolds } from './job-holds.fixture.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterEach(async () => {
  expect((await auditLedger(database.pool)).violations).toEqual([])
})
afterAll(() => database.drop())

const wallet = (workspaceId: string) => database.wallet(workspaceId)
const sweep = () => sweepLedger({ pool: database.pool, onEvent: () => undefined, everyMs: 60_000 })
const open = { state: 'open', kind: 'training' } as const

async function newJob(balanceNano = 10_000n) {
  return jobOf(await database.newWallet(balanceNano))
}

describe('a hold of a training job', () => {
  it('charges the difference at every checkpoint, out of what it holds, and gives back the rest at the end', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    const { workspaceId } = job.named
    expect(await holds.hold(job.taking(1_000n))).toEqual({ outcome: 'held', heldNano: 1_000n, jobCostNano: 0n })
    expect(await holds.checkpoint(job.costing(300n))).toEqual({
      ...open,
      heldNano: 700n,
      jobCostNano: 300n,
      chargedNano: 300n,
    })
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 9_700n, heldNano: 700n })
    expect(await holds.checkpoint(job.costing(450n))).toMatchObject({ heldNano: 550n, chargedNano: 150n })
    expect(await holds.settle(job.costing(500n))).toEqual({
      kind: 'training',
      state: 'posted',
      heldNano: 0n,
      jobCostNano: 500n,
      chargedNano: 50n,
    })
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 9_500n, heldNano: 0n })
    expect(await entriesOf(database.pool, job.jobId)).toEqual(
      ['300', '150', '50'].map((amount) => ({ reason: 'usage', amount })),
    )
  })

  it('counts as one request of kind training in the usage, with its tokens and its key, hour by hour as the ledger', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    const { workspaceId } = job.named
    const keyId = randomUUID()
    await holds.hold({ ...job.taking(1_000n), labels: { keyId, tag: null, alias: null } })
    for (const cost of [0n, 10n, 30n]) await holds.checkpoint(job.costing(cost))
    await holds.settle(job.costing(35n))
    const { rows } = await database.pool.query(
      `SELECT kind, model, key_id, sum(requests)::int AS requests, sum(prompt_tokens)::int AS tokens, sum(cost)::int AS cost
       FROM usage_hour WHERE wallet_id = $1 GROUP BY 1, 2, 3`,
      [workspaceId],
    )
    expect(rows).toEqual([{ kind: 'training', model: 'sim/large', key_id: keyId, requests: 1, tokens: 70, cost: 35 }])
    expect(await database.usage(workspaceId)).toEqual(await database.charged(workspaceId))
  })

  it('charges nothing for a repeated or a lower cost, nor after it was settled', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    await holds.hold(job.taking(1_000n))
    await holds.checkpoint(job.costing(300n))
    for (const cost of [300n, 299n, 0n]) {
      expect(await holds.checkpoint(job.costing(cost))).toMatchObject({ ...open, jobCostNano: 300n, chargedNano: 0n })
    }
    await holds.settle(job.costing(400n))
    for (const late of [holds.checkpoint, holds.settle]) {
      expect(await late(job.costing(900n))).toEqual({
        kind: 'training',
        state: 'posted',
        heldNano: 0n,
        jobCostNano: 400n,
        chargedNano: 0n,
      })
    }
    expect(await holds.release(job.named)).toMatchObject({ state: 'posted', chargedNano: 0n })
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 9_600n, heldNano: 0n })
  })

  it('never charges more than it has taken; what is above is written off at the end', async () => {
    const events: LedgerEvent[] = []
    const holds = openJobHolds(database, { onEvent: (event) => events.push(event) })
    const job = await newJob()
    await holds.hold(job.taking(1_000n))
    expect(await holds.checkpoint(job.costing(1_200n))).toMatchObject({ heldNano: 0n, jobCostNano: 1_000n })
    expect(events).toEqual([])
    expect(await holds.settle(job.costing(1_250n))).toMatchObject({ jobCostNano: 1_000n, chargedNano: 0n })
    expect(events).toEqual([{ kind: 'write_off', billingId: job.named.holdId, amountNano: 250n }])
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 9_000n, heldNano: 0n })
  })

  it('is taken once, is raised by a larger amount, and keeps what it has when the wallet does not cover more', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    const { workspaceId } = job.named
    await Promise.all(Array.from({ length: 8 }, () => holds.hold(job.taking(1_000n))))
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 10_000n, heldNano: 1_000n })
    await holds.checkpoint(job.costing(400n))
    expect(await holds.hold(job.taking(900n))).toEqual({ outcome: 'held', heldNano: 600n, jobCostNano: 400n })
    expect(await holds.hold(job.taking(1_500n))).toEqual({ outcome: 'held', heldNano: 1_100n, jobCostNano: 400n })
    expect(await holds.hold(job.taking(10_001n))).toMatchObject({ outcome: 'refused' })
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 9_600n, heldNano: 1_100n })
    expect(await holds.hold(job.taking(10_000n))).toMatchObject({ outcome: 'held', heldNano: 9_600n })
    expect(await holds.settle(job.costing(10_000n))).toMatchObject({ jobCostNano: 10_000n })
  })

  it('is refused when the wallet does not cover it, to the last nano-dollar', async () => {
    const holds = openJobHolds(database)
    const job = await newJob(500n)
    expect(await holds.hold(job.taking(501n))).toMatchObject({ outcome: 'refused' })
    expect(await holds.hold(jobOf(randomUUID()).taking(0n))).toMatchObject({ outcome: 'refused' })
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 500n, heldNano: 0n })
    expect(await holds.hold(job.taking(500n))).toMatchObject({ outcome: 'held' })
  })

  it('is not refused for what blocks hold for nobody', async () => {
    const holds = openJobHolds(database)
    const job = await newJob(1_000n)
    const { workspaceId } = job.named
    const blocks = createPgEscrowStore({ pool: database.pool, ownerId: randomUUID(), walletBlocks: 1 })
    const blockId = randomUUID()
    await blocks.openBlock({ blockId, workspaceId, desiredNano: 600n, leastNano: 600n })
    const held = holds.hold(job.taking(900n))
    await blocks.seal([blockId]) // as the process does that hears of the recall
    await blocks.book([blockId])
    expect(await held).toMatchObject({ outcome: 'held', heldNano: 900n })
  })

  it('is the only open one of its job, and the next one continues with its cost', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    await holds.hold(job.taking(1_000n))
    expect(await holds.hold(job.taking(10n, job.next))).toMatchObject({ outcome: 'busy' })
    await holds.settle(job.costing(600n))
    expect(await holds.hold(job.taking(1_000n))).toMatchObject({ outcome: 'posted' })
    expect(await holds.hold(job.taking(500n, job.next))).toEqual({ outcome: 'held', heldNano: 500n, jobCostNano: 600n })
    expect(await holds.checkpoint(job.costing(600n, job.next))).toMatchObject({ chargedNano: 0n })
    expect(await holds.checkpoint(job.costing(700n, job.next))).toMatchObject({ heldNano: 400n, chargedNano: 100n })
    // a repeated call about the first hold changes nothing of the second one
    await holds.settle(job.costing(600n))
    await holds.release(job.named)
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 9_300n, heldNano: 400n })
    expect(await holds.release(job.next)).toMatchObject({ state: 'posted', jobCostNano: 700n })
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 9_300n, heldNano: 0n })
    expect(await holds.checkpoint(job.costing(800n, job.next))).toMatchObject({ jobCostNano: 700n, chargedNano: 0n })
  })

  it('takes one of two holds of a job that are taken at once', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    const outcomes = await Promise.all([holds.hold(job.taking(100n)), holds.hold(job.taking(100n, job.next))])
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['busy', 'held'])
    expect(await wallet(job.named.workspaceId)).toMatchObject({ heldNano: 100n })
  })

  it('cannot be taken any more when it was released before', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    expect(await holds.release(job.named)).toMatchObject({ state: 'voided', jobCostNano: 0n })
    expect(await holds.hold(job.taking(100n))).toMatchObject({ outcome: 'voided' })
    expect(await wallet(job.named.workspaceId)).toMatchObject({ heldNano: 0n })
  })

  it('belongs to its workspace: another one neither charges nor releases it', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    const foreign = { ...job.named, workspaceId: await database.newWallet(1_000n) }
    await holds.hold(job.taking(100n))
    expect(await holds.checkpoint(job.costing(50n, foreign))).toBeUndefined()
    await holds.release(foreign)
    expect(await holds.confirm(foreign.workspaceId, [job.named.holdId])).toEqual([])
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 10_000n, heldNano: 100n })
    expect(await holds.checkpoint({ ...job.costing(5n), holdId: randomUUID() })).toBeUndefined()
  })
})

describe('calls at once', () => {
  it('charge a job once up to its highest cost, whatever their order', async () => {
    const processes = Array.from({ length: 3 }, () => openJobHolds(database))
    const job = await newJob(1_000_000n)
    const { workspaceId } = job.named
    await processes[0]?.hold(job.taking(100_000n))
    const costs = Array.from({ length: 60 }, (_, index) => BigInt(((index * 37) % 60) + 1) * 1_000n)
    await Promise.all(costs.map((cost, index) => processes[index % 3]?.checkpoint(job.costing(cost))))
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 940_000n, heldNano: 40_000n })
    const ends = processes.flatMap((holds) => [
      holds.settle(job.costing(61_000n)),
      holds.checkpoint(job.costing(61_000n)),
    ])
    const charged = (await Promise.all(ends)).reduce((sum, end) => sum + (end?.chargedNano ?? 0n), 0n)
    expect(charged).toBe(1_000n)
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 939_000n, heldNano: 0n })
    expect(await database.usage(workspaceId)).toEqual(await database.charged(workspaceId))
  })

  it('raise, charge, confirm and end a hold in any order', async () => {
    const processes = Array.from({ length: 3 }, () => openJobHolds(database))
    const job = await newJob(100_000n)
    const { workspaceId, holdId } = job.named
    await processes[0]?.hold(job.taking(1_000n))
    const calls = processes.flatMap((holds) =>
      Array.from({ length: 12 }, (_, index) => [
        holds.hold(job.taking(1_000n + BigInt(index) * 100n)),
        holds.checkpoint(job.costing(BigInt(index) * 80n)),
        holds.confirm(workspaceId, [holdId]),
        ...(index === 9 ? [holds.settle(job.costing(2_000n))] : []),
      ]).flat(),
    )
    await Promise.all(calls)
    const { rows } = await database.pool.query('SELECT taken, job_cost FROM billing_request WHERE request_id = $1', [
      holdId,
    ])
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 100_000n - BigInt(rows[0].job_cost), heldNano: 0n })
    expect(BigInt(rows[0].job_cost)).toBeGreaterThanOrEqual(1_000n)
    expect(BigInt(rows[0].job_cost)).toBeLessThanOrEqual(BigInt(rows[0].taken))
  })

  it('never hold more than the wallet has', async () => {
    const holds = openJobHolds(database)
    const workspaceId = await database.newWallet(1_000n)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => holds.hold(jobOf(workspaceId).taking(99n))))
    expect(outcomes.filter(({ outcome }) => outcome === 'held')).toHaveLength(10)
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 1_000n, heldNano: 990n })
  })

  it('may be repeated when the server ended the connection of a call in the middle', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    await holds.hold(job.taking(1_000n))
    const blocker = await database.operator.connect()
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM wallet WHERE workspace_id = $1 FOR UPDATE', [job.named.workspaceId])
    const broken = holds.checkpoint(job.costing(300n)).catch((error: unknown) => error)
    await eventually(async () => {
      const { rows } = await database.operator.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE wait_event_type = 'Lock' AND query LIKE '%job_cost_before%' AND datname = current_database()`,
      )
      expect(rows).toHaveLength(1)
    })
    await blocker.query('COMMIT')
    blocker.release()
    expect(await broken).toMatchObject({ name: 'LedgerUnavailable' })
    expect(await openJobHolds(database).checkpoint(job.costing(300n))).toMatchObject({
      jobCostNano: 300n,
      chargedNano: 300n,
    })
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 9_700n, heldNano: 700n })
  })
})

it('charges late costs of a swept hold once, in that hold or in the next one, when both are asked for at once', async () => {
  const holds = openJobHolds(database)
  const workspaceId = await database.newWallet(100_000n)
  const jobs = Array.from({ length: 12 }, () => jobOf(workspaceId))
  for (const job of jobs) {
    await holds.hold(job.taking(1_000n))
    await holds.checkpoint(job.costing(100n))
    await expire(database.pool, job.jobId)
  }
  await sweep()
  await Promise.all(
    jobs.flatMap((job) => [
      holds.checkpoint(job.costing(150n)),
      holds.hold(job.taking(1_000n, job.next)),
      holds.checkpoint(job.costing(180n)),
    ]),
  )
  for (const job of jobs) {
    expect(await holds.settle(job.costing(200n, job.next))).toMatchObject({ state: 'posted', jobCostNano: 200n })
  }
  expect(await wallet(workspaceId)).toEqual({ balanceNano: 97_600n, heldNano: 0n })
})

describe('the sweep', () => {
  it('leaves a hold alone while calls name it, whatever processes die', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    await holds.hold(job.taking(1_000n))
    await database.pool.query('DELETE FROM ledger_owner')
    await sweep()
    for (const keep of [
      () => holds.hold(job.taking(1_000n)),
      () => holds.checkpoint(job.costing(10n)),
      () => holds.checkpoint(job.costing(10n)),
      () => holds.confirm(job.named.workspaceId, [job.named.holdId]),
    ]) {
      await expire(database.pool, job.jobId)
      await keep()
      await sweep()
    }
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 9_990n, heldNano: 990n })
  })

  it('releases a forgotten one, keeps its charges, and the next hold continues with its cost', async () => {
    const holds = openJobHolds(database)
    const job = await newJob()
    await holds.hold(job.taking(1_000n))
    await holds.checkpoint(job.costing(300n))
    await expire(database.pool, job.jobId)
    await sweep()
    expect(await wallet(job.named.workspaceId)).toEqual({ balanceNano: 9_700n, heldNano: 0n })
    expect(await holds.confirm(job.named.workspaceId, [job.named.holdId])).toEqual([])
    expect(await holds.hold(job.taking(700n, job.next))).toMatchObject({ outcome: 'held', jobCostNano: 300n })
    // what comes late about the first hold is charged by the next one, and not twice
    expect(await holds.checkpoint(job.costing(400n))).toMatchObject({ jobCostNano: 300n, chargedNano: 0n })
    expect(await holds.settle(job.costing(1_000n, job.next))).toMatchObject({ jobCostNano: 1_000n, chargedNano: 700n })
  })

  it('releases a hold that may be taken again, once, for what it had not charged', async () => {
    const holds = openJobHolds(database)
    const job = await newJob(1_100n)
    const { workspaceId } = job.named
    await holds.hold(job.taking(1_000n))
    await holds.checkpoint(job.costing(300n))
    await expire(database.pool, job.jobId)
    await sweep()
    const other = jobOf(workspaceId)
    await holds.hold(other.taking(200n))
    expect(await holds.hold(job.taking(1_000n))).toMatchObject({ outcome: 'refused' })
    await holds.release(other.named)
    const again = Array.from({ length: 4 }, () => holds.hold(job.taking(1_000n)))
    expect(await Promise.all(again)).toEqual(again.map(() => ({ outcome: 'held', heldNano: 700n, jobCostNano: 300n })))
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 800n, heldNano: 700n })
    expect(await holds.settle(job.costing(400n))).toMatchObject({
      state: 'posted',
      jobCostNano: 400n,
      chargedNano: 100n,
    })
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 700n, heldNano: 0n })
    expect(await database.usage(workspaceId)).toEqual(await database.charged(workspaceId))
  })

  it('is corrected by a call that comes later, as far as the wallet covers it and up to what was held', async () => {
    const events: LedgerEvent[] = []
    const holds = openJobHolds(database, { onEvent: (event) => events.push(event) })
    const [job, other] = [await newJob(1_200n), randomUUID()]
    const { workspaceId } = job.named
    await holds.hold(job.taking(1_000n))
    await holds.checkpoint(job.costing(300n))
    await expire(database.pool, job.jobId)
    await sweep()
    expect(await holds.checkpoint(job.costing(400n))).toMatchObject({
      state: 'voided',
      jobCostNano: 400n,
      chargedNano: 100n,
    })
    await holds.hold({ ...jobOf(workspaceId).taking(500n), holdId: other })
    expect(await holds.checkpoint(job.costing(1_000n))).toMatchObject({ jobCostNano: 700n, chargedNano: 300n })
    await holds.release({ holdId: other, workspaceId })
    expect(await holds.settle(job.costing(1_100n))).toMatchObject({
      state: 'posted',
      jobCostNano: 1_000n,
      chargedNano: 300n,
    })
    expect(events.map(({ kind }) => kind)).toEqual(['late_post', 'late_post', 'late_post', 'write_off'])
    expect(await wallet(workspaceId)).toEqual({ balanceNano: 200n, heldNano: 0n })
    expect(await database.usage(workspaceId)).toEqual(await database.charged(workspaceId))
  })
})

it('lists the open holds of a workspace with what they hold and when they end', async () => {
  const holds = openJobHolds(database, { keepMs: 3_600_000 })
  const [first, second] = [await newJob(), jobOf('')]
  const { workspaceId } = first.named
  const ofSecond = { ...second.named, workspaceId }
  await holds.hold(first.taking(1_000n))
  await holds.hold(second.taking(2_000n, ofSecond))
  await holds.checkpoint(first.costing(10n))
  await database.pool.query(
    "UPDATE billing_request SET opened_at = opened_at - interval '1 second' WHERE request_id = $1",
    [first.named.holdId],
  )
  const listed = await holds.confirm(workspaceId, [])
  const times = { openedAt: expect.any(Date), expiresAt: expect.any(Date) }
  expect(listed).toEqual([
    { holdId: first.named.holdId, jobId: first.jobId, heldNano: 990n, jobCostNano: 10n, ...times },
    { holdId: ofSecond.holdId, jobId: second.jobId, heldNano: 2_000n, jobCostNano: 0n, ...times },
  ])
  const leftMs = (listed[0]?.expiresAt.getTime() ?? 0) - Date.now()
  expect(leftMs).toBeGreaterThan(3_000_000)
  expect(leftMs).toBeLessThan(4_000_000)
})
