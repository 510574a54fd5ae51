import { auditLedger } from '@ratchet/db/audit-ledger'
import { topUp } from '@ratchet/db/top-up'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import fc from 'fast-check'
import { startEscrowProcesses } from './escrow-processes.fixture.ts'
import { type Hold, type HoldOutcome, LedgerUnavailable, type UsageLabels } from './ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import type { LedgerStore } from './ledger-store.ts'
import { createMemoryLedger } from './memory-ledger.ts'

/** A step of a run. Requests are numbers; each belongs to one process, and is held for once. */
type Step =
  | { readonly kind: 'hold'; readonly process: number; readonly amountNano: bigint }
  | { readonly kind: 'checkpoint' | 'settle'; readonly request: number; readonly costNano: bigint }
  | { readonly kind: 'release'; readonly request: number }
  | { readonly kind: 'topUp'; readonly amountNano: bigint }
  | { readonly kind: 'sweep' }

const processCount = 3
const creditNano = 2_000n
const nano = fc.bigInt({ min: 0n, max: 150n })
const request = fc.nat({ max: 40 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('hold' as const),
      process: fc.nat({ max: processCount - 1 }),
      amountNano: fc.oneof(
        { weight: 9, arbitrary: nano },
        { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2_100n }) },
      ),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('settle' as const), request, costNano: nano }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const), request, costNano: nano }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), request }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('topUp' as const), amountNano: fc.bigInt({ min: 1n, max: 300n }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'sweep' as const }) },
)

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase({ connections: 12 })
})
afterAll(() => database.drop())

it('does what the ledger in memory does, step by step, with three processes that hold blocks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async (steps) => {
      const run = await newRun()
      try {
        await followModel(run, steps)
      } finally {
        await run.processes.stop()
      }
    }),
    { numRuns: 40 },
  )
}, 240_000)

it('charges at most the balance and refuses nothing that fits, when all processes run at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(nano, nano), { minLength: 20, maxLength: 80 }), async (requests) => {
      const run = await newRun()
      try {
        await holdAtOnce(run, requests)
      } finally {
        await run.processes.stop()
      }
    }),
    { numRuns: 40 },
  )
}, 240_000)

async function holdAtOnce(
  run: Run,
  requests: readonly (readonly [amountNano: bigint, costNano: bigint])[],
): Promise<void> {
  const outcomes = await Promise.all(
    requests.map(async ([amountNano], index) => {
      if (index % 4 === 3) await database.pool.query('SELECT pg_sleep(0.003)') // blocks are opened meanwhile
      const hold = holdOf(run.workspaceId, amountNano)
      const ledger = ledgerOf(run, index)
      return { hold, ledger, outcome: await ledger.hold(hold).catch(asOutcome) }
    }),
  )
  const held = outcomes.filter(({ outcome }) => outcome === 'held')
  const heldNano = sum(held.map(({ hold }) => hold.amountNano))
  expect(heldNano <= creditNano).toBe(true)
  // nothing was released meanwhile, so a hold that did not fit then does not fit now
  const refused = outcomes.filter(({ outcome }) => outcome === 'refused')
  expect(refused.filter(({ hold }) => heldNano + hold.amountNano <= creditNano)).toEqual([])
  const charged = await Promise.all(
    held.map(({ hold, ledger }, index) =>
      ledger.close({ ...idsOf(hold), costNano: requests[index]?.[1] ?? 0n, outcome: 'posted' }),
    ),
  )
  await run.processes.giveBack()
  const balanceNano = creditNano - sum(charged.map(({ chargedNano }) => chargedNano))
  expect(await database.wallet(run.workspaceId)).toEqual({ balanceNano, heldNano: 0n })
  expect(await database.usage(run.workspaceId)).toEqual(await database.charged(run.workspaceId))
  expect((await auditLedger(database.operator)).violations).toEqual([])
}

async function followModel(run: Run, steps: readonly Step[]): Promise<void> {
  const model = createMemoryLedger()
  model.topUp(run.workspaceId, creditNano)
  for (const next of steps) {
    if (isClosedTwice(run, next)) continue
    const [expected, found] = [await modelStep(run, model, next), await doStep(run, next)]
    expect(found).toEqual(expected)
    if (next.kind === 'hold') run.holds.push({ ...run.next, process: next.process })
    if (next.kind === 'release' && run.holds[next.request] !== undefined) run.released.add(next.request)
    await Promise.all(run.processes.ledgers.map((ledger) => ledger.idle()))
    const { balanceNano, heldNano } = model.wallet(run.workspaceId)
    const wallet = await database.walletNow(run.workspaceId)
    expect(wallet.balanceNano).toBe(balanceNano)
    expect(wallet.heldNano >= heldNano && wallet.heldNano <= wallet.balanceNano).toBe(true)
  }
  await run.processes.giveBack()
  await closeTaken(run, model)
  expect(await database.wallet(run.workspaceId)).toEqual(model.wallet(run.workspaceId))
  expect(await database.usage(run.workspaceId)).toEqual(await database.charged(run.workspaceId))
  expect((await auditLedger(database.operator)).violations).toEqual([])
}

type Run = Awaited<ReturnType<typeof newRun>>

async function newRun() {
  const processes = await startEscrowProcesses(database, { count: processCount })
  const workspaceId = await database.newWallet(creditNano)
  const holds: (Hold & { readonly process: number })[] = []
  return { processes, workspaceId, holds, released: new Set<number>(), next: holdOf(workspaceId, 0n) }
}

/** A process never settles what it released; `billing.test.ts` checks that. */
function isClosedTwice({ released }: Run, next: Step): boolean {
  return next.kind === 'settle' && released.has(next.request)
}

async function doStep(run: Run, next: Step): Promise<unknown> {
  if (next.kind === 'sweep') return void (await run.processes.sweep())
  if (next.kind === 'topUp') {
    const credit = { workspaceId: run.workspaceId, amountNano: next.amountNano, reference: uuidV7(Date.now()) }
    return void (await topUp(database.operator, credit))
  }
  if (next.kind === 'hold') return ledgerOf(run, next.process).hold(run.next)
  const hold = run.holds[next.request]
  return hold === undefined ? undefined : requestStep(ledgerOf(run, hold.process), hold, next)
}

async function modelStep(run: Run, model: ReturnType<typeof createMemoryLedger>, next: Step): Promise<unknown> {
  if (next.kind === 'sweep') return void model.sweepOpen()
  if (next.kind === 'topUp') return model.topUp(run.workspaceId, next.amountNano)
  if (next.kind === 'hold') {
    run.next = holdOf(run.workspaceId, next.amountNano)
    return model.hold(run.next)
  }
  const hold = run.holds[next.request]
  return hold === undefined ? undefined : requestStep(model, hold, next)
}

async function requestStep(
  store: LedgerStore,
  hold: Hold,
  next: Exclude<Step, { kind: 'sweep' | 'topUp' | 'hold' }>,
): Promise<unknown> {
  const { billingId } = hold
  if (next.kind === 'settle') return store.close({ ...idsOf(hold), costNano: next.costNano, outcome: 'posted' })
  if (next.kind === 'release') return store.close({ ...idsOf(hold), costNano: 0n, outcome: 'voided' })
  store.checkpoint({ billingId, costNano: next.costNano })
  return store.idle()
}

/** Gives back what requests still hold, so that both ledgers are at rest. */
async function closeTaken(run: Run, model: LedgerStore): Promise<void> {
  for (const hold of run.holds) {
    const closing = { ...idsOf(hold), costNano: 0n, outcome: 'voided' } as const
    expect(await ledgerOf(run, hold.process).close(closing)).toEqual(await model.close(closing))
  }
  await Promise.all(run.processes.ledgers.map((ledger) => ledger.idle()))
}

function holdOf(workspaceId: string, amountNano: bigint): Hold {
  const billingId = uuidV7(Date.now())
  const labels = labelsOf(Number(amountNano))
  return {
    billingId,
    workspaceId,
    amountNano,
    kind: 'chat',
    model: 'sim/large',
    priceVersion: '1',
    isUnique: true,
    labels,
  }
}

function labelsOf(seed: number): UsageLabels {
  const keyId = seed % 3 === 0 ? null : `00000000-0000-7000-8000-00000000000${seed % 3}`
  return { keyId, tag: seed % 2 === 0 ? null : `tag, "${seed % 5}"`, alias: seed % 7 === 0 ? 'support' : null }
}

function idsOf({ billingId, workspaceId }: Hold) {
  return { billingId, workspaceId }
}

function ledgerOf({ processes: { ledgers } }: Run, index: number): LedgerStore {
  const ledger = ledgers[index % ledgers.length]
  if (ledger === undefined) throw new Error('no processes')
  return ledger
}

/** A process that did not give back its blocks in time is an outage, and no refusal. */
function asOutcome(error: unknown): HoldOutcome | 'unavailable' {
  if (error instanceof LedgerUnavailable) return 'unavailable'
  throw error
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
