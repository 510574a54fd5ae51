import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { auditTraining, trainingRules } from '@ratchet/db/audit-training'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgLedger } from '../ledger/pg-ledger.ts'
import { jobOf, openJobHolds } from './job-holds.fixture.ts'
import { addCheckpoint, addJob, addRound, addRun, addSample, addStep, addVerdict } from './training-rows.fixture.ts'

let database: LedgerDatabase
let ids: Readonly<Record<'job' | 'run' | 'round' | 'roundJob', string>>

/** A job, a run and a round that have ended, and a run that is under way, each charged what it cost. */
beforeAll(async () => {
  database = await ledgerDatabase()
  const workspaceId = await database.newWallet(100_000_000n)
  const { operator } = database
  const [job, run, roundJob, running] = [1, 2, 3, 4].map(() => jobOf(workspaceId)) as [Job, Job, Job, Job]
  const round = randomUUID()
  ids = { job: job.jobId, run: run.jobId, round, roundJob: roundJob.jobId }

  // 1,501 tokens at 2 dollars per million are 3,002 micro-dollars.
  await addJob(operator, { id: job.jobId, workspaceId, costNano: 3_002_000n, priceNano: 2_000_000_000n })
  await addCheckpoint(operator, { jobId: job.jobId, workspaceId, step: 4, tokens: 1_501 })
  await charge(job, 3_002_000n)

  // Trained 300 at 1 dollar, sampled 300 + 100 at half a dollar. Step 2 and the look of step 4 are in no checkpoint.
  await addJob(operator, { id: run.jobId, workspaceId, method: 'grpo', costNano: 500_000n, maxNano: 900_000n })
  await addRun(operator, { id: run.jobId, workspaceId, maxNano: 1_000_000n, judgingNano: 100_000n })
  const step = await addStep(operator, { runId: run.jobId, workspaceId, step: 1, sampled: 300, trained: 300 })
  await addStep(operator, { runId: run.jobId, workspaceId, kind: 'look', step: 0, sampled: 100 })
  await addStep(operator, { runId: run.jobId, workspaceId, step: 2, sampled: 700, trained: 700 })
  await addStep(operator, { runId: run.jobId, workspaceId, kind: 'look', step: 4, sampled: 50 })
  await addCheckpoint(operator, { jobId: run.jobId, workspaceId, step: 1, tokens: 300 })
  await charge(run, 500_000n)
  await judge({ workspaceId, capId: run.jobId, capNano: 100_000n, costs: [40_000n, 60_000n] })
  await addVerdict(operator, { step, costNano: 60_000n })

  await addRound(operator, { id: round, workspaceId, maxNano: 50_000n })
  await addSample(operator, { roundId: round, workspaceId, costNano: 10_000n })
  await judge({ workspaceId, capId: round, capNano: 50_000n, costs: [10_000n] })
  await addJob(operator, {
    id: roundJob.jobId,
    workspaceId,
    costNano: 40_000n,
    roundId: round,
    priceNano: 1_000_000_000n,
  })
  await addCheckpoint(operator, { jobId: roundJob.jobId, workspaceId, step: 1, tokens: 40 })
  await charge(roundJob, 40_000n)

  // The ledger is a step ahead of what training has written down.
  await addJob(operator, {
    id: running.jobId,
    workspaceId,
    method: 'grpo',
    isOver: false,
    costNano: 0n,
    maxNano: 90_000n,
  })
  await addRun(operator, { id: running.jobId, workspaceId, maxNano: 100_000n, judgingNano: 10_000n })
  await openJobHolds(database).hold(running.taking(90_000n))
  await openJobHolds(database).checkpoint(running.costing(20_000n))
})
afterAll(() => database.drop())

type Job = ReturnType<typeof jobOf>

async function charge(job: Job, costNano: bigint): Promise<void> {
  const holds = openJobHolds(database)
  await holds.hold(job.taking(costNano + 1_000n))
  await holds.settle(job.costing(costNano))
}

interface Judged {
  readonly workspaceId: string
  readonly capId: string
  readonly capNano: bigint
  readonly costs: readonly bigint[]
}

async function judge({ workspaceId, capId, capNano, costs }: Judged): Promise<void> {
  const ledger = createPgLedger({ pool: database.pool, ownerId: randomUUID(), onEvent: () => undefined })
  const cap = { id: capId, windowStart: new Date('2026-11-16T00:00:00Z'), capNano }
  const priced = { kind: 'chat', model: 'sim/judge', priceVersion: '1' }
  for (const costNano of costs) {
    const billingId = randomUUID()
    await ledger.hold({ billingId, workspaceId, amountNano: costNano, ...priced, cap })
    await ledger.close({ billingId, workspaceId, costNano, outcome: 'posted' })
  }
}

it('finds nothing wrong where everything was charged once', async () => {
  expect(await auditTraining(database.operator, [database.operator])).toEqual([])
  expect((await auditLedger(database.operator)).violations).toEqual([])
})

const [durable, holds, charged, recorded, judging, maximum] = trainingRules

/** Constraints of the ledger that would refuse what is planted. */
const unguard = `
  ALTER TABLE billing_request DROP CONSTRAINT billing_request_cost_check, DROP CONSTRAINT billing_request_taken_check;
  DROP TRIGGER billing_request_final ON billing_request;
  DROP TRIGGER billing_request_cap_final ON billing_request;
  ALTER TABLE spend_cap DROP CONSTRAINT spend_cap_cap_check`

it.each([
  [
    'a job that pays for what was lost',
    'job',
    durable,
    'UPDATE training_job SET cost_nano = cost_nano + 1000 WHERE id = $1',
  ],
  [
    'a run that pays for a step without a checkpoint',
    'run',
    durable,
    'UPDATE checkpoint SET step = 0 WHERE job_id = $1',
  ],
  [
    'a run that does not pay for a look',
    'run',
    durable,
    "DELETE FROM grpo_step WHERE run_id = $1 AND kind = 'look' AND step = 0",
  ],
  [
    'an ended run that still holds',
    'run',
    holds,
    "UPDATE training_job SET held_nano = 1, finished_at = now() - interval '61 minutes' WHERE id = $1",
  ],
  [
    'a hold that nobody settled after the end',
    'run',
    holds,
    `UPDATE training_job SET finished_at = now() - interval '61 minutes' WHERE id = $1;
     UPDATE billing_request SET state = 'open', cost = NULL WHERE job_id = $1`,
  ],
  ['a run that was charged twice', 'run', charged, 'UPDATE billing_request SET cost = cost * 2 WHERE job_id = $1'],
  ['a run that was never charged', 'run', charged, 'UPDATE billing_request SET cost = cost - 1 WHERE job_id = $1'],
  ['verdicts that nobody paid', 'run', recorded, 'UPDATE billing_request SET cost = 5000 WHERE cap_id = $1'],
  [
    'answers that nobody paid',
    'round',
    recorded,
    'UPDATE raft_sample SET cost_nano = cost_nano + 1 WHERE round_id = $1',
  ],
  [
    'judges that cost more in two windows than in one',
    'run',
    judging,
    `UPDATE billing_request SET cap_window = cap_window + interval '1 second', cost = 60001 WHERE cap_id = $1 AND cost = 60000`,
  ],
  ['a run beyond its maximum', 'run', maximum, 'UPDATE grpo_run SET max_cost_nano = 599999 WHERE id = $1'],
  [
    'a round whose job takes what its answers took',
    'round',
    maximum,
    'UPDATE raft_round SET max_cost_nano = 49999 WHERE id = $1',
  ],
] as const)('finds %s', async (_, what, rule, tampering) => {
  const violations = await auditAfter(`${unguard}; ${tampering.replaceAll('$1', `'${ids[what]}'`)}`)
  expect(violations).toContainEqual({ invariant: rule, count: 1, example: ids[what] })
})

it('says nothing of a hold that its worker has still to give back', async () => {
  const change = `UPDATE training_job SET held_nano = 1, finished_at = now() WHERE id = '${ids.run}'`
  expect(await auditAfter(change)).toEqual([])
})

/** What the audit finds after these statements, which are then undone. */
async function auditAfter(statements: string) {
  const client = await database.operator.connect()
  try {
    await client.query(`BEGIN; ${statements}`)
    return await auditTraining(client, [client])
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}
