import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { type TopUp, topUp } from '@ratchet/db/top-up'
import fc from 'fast-check'
import type { BudgetWindow, SpendCap } from './ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { ledgerPair, otherLedger, shardedStore } from './ledger-pair.fixture.ts'
import type { LedgerStore } from './ledger-store.ts'
import { createMemoryLedger, type MemoryCap, type MemoryLedger } from './memory-ledger.ts'
import { createPgLedger } from './pg-ledger.ts'
import { sweepLedger } from './pg-ledger-sweeper.ts'

/** A step of a run. Requests and wallets are indices into the run's own lists. */
type Step =
  | ({ readonly kind: 'hold'; readonly request: number; readonly amountNano: bigint } & HoldChoices)
  | { readonly kind: 'checkpoint' | 'settle'; readonly request: number; readonly costNano: bigint }
  | { readonly kind: 'release'; readonly request: number }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'topUp'; readonly wallet: number; readonly amountNano: bigint }

interface HoldChoices {
  readonly cap?: CapChoice
  /** The maximum of each budget that it counts for; null for none. */
  readonly budgets?: readonly (bigint | null)[]
}

/** A cap, one of its windows and the maximum of that window, as indices into the run's own lists. */
interface CapChoice {
  readonly cap: number
  readonly window: number
  readonly capNano: bigint
}

const requests = 5
const wallets = 2
const caps = 2
const windows = ['2026-11-16', '2026-11-23'].map((day) => new Date(day))
const nano = fc.bigInt({ min: 0n, max: 400n })
const request = fc.nat({ max: requests - 1 })
const capChoice: fc.Arbitrary<CapChoice> = fc.record({
  cap: fc.nat({ max: caps - 1 }),
  window: fc.nat({ max: windows.length - 1 }),
  capNano: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 600n })),
})
const budgetChoice = fc.array(fc.option(fc.bigInt({ min: 1n, max: 600n })), { minLength: 2, maxLength: 2 })
const hold = fc.record(
  { kind: fc.constant('hold' as const), request, amountNano: nano, cap: capChoice, budgets: budgetChoice },
  { requiredKeys: ['kind', 'request', 'amountNano'] },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: hold },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), request, costNano: nano }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const), request, costNano: nano }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), request }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('sweep' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('topUp' as const),
      wallet: fc.nat({ max: wallets - 1 }),
      amountNano: fc.bigInt({ min: 1n, max: 300n }),
    }),
  },
)

describe.each([
  ['on 1 connection', () => oneLedger(1)],
  ['on 8 connections', () => oneLedger(8)],
  ['in two ledgers', twoLedgers],
])('%s', (_, openPlace) => {
  let place: Place
  beforeAll(async () => {
    place = await openPlace()
  })
  afterAll(() => place.drop())

  it('does what the ledger in memory does, step by step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const model = createMemoryLedger()
        const run = await newRun(place, 500n)
        for (const workspaceId of run.wallets) model.topUp(workspaceId, 500n)
        for (const next of steps) {
          expect(await doStep(run, next)).toEqual(await modelStep(run, model, next))
          for (const id of run.wallets) {
            expect(await place.wallet(id)).toEqual(model.wallet(id))
            expect(await place.usage(id)).toEqual(await place.charged(id))
            for (const window of windowsOf(run)) {
              expect(sums(await place.cap(id, window))).toEqual(sums(model.cap(id, window)))
            }
            for (const budget of budgetsOf(run, [1n, 1n])) {
              expect(sums(await place.budget(id, budget))).toEqual(sums(model.budget(id, budget)))
            }
          }
        }
      }),
      { numRuns: 60 },
    )
    expect(await place.violations()).toEqual([])
  }, 120_000)

  it('keeps every invariant when all steps run at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const run = await newRun(place, 500n)
        const outcomes = await Promise.allSettled(steps.map((next) => doStep(run, next)))
        expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
        expect(await place.violations()).toEqual([])
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  it('never lets a window exceed its cap, from three processes at once, and refuses nothing that fits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nano, { minLength: 10, maxLength: 40 }), async (amounts) => {
        const { stores, wallets: ids, capIds } = await newRun(place, 100_000n)
        const workspaceId = ids[0] ?? ''
        const cap = { id: capIds[0] ?? '', windowStart: new Date('2026-11-16'), capNano: 1_000n }
        const outcomes = await Promise.all(
          amounts.map((amountNano, index) =>
            storeAt(stores, index).hold({ ...holdOf(randomUUID(), workspaceId, amountNano), cap }),
          ),
        )
        const { heldNano } = await place.cap(workspaceId, cap)
        const held = amounts.filter((_, index) => outcomes[index] === 'held')
        expect(heldNano).toBe(held.reduce((sum, amount) => sum + amount, 0n))
        expect((await place.wallet(workspaceId)).heldNano).toBe(heldNano)
        expect(heldNano <= 1_000n).toBe(true)
        const refused = amounts.filter((_, index) => outcomes[index] === 'capped')
        expect(refused).toHaveLength(amounts.length - held.length)
        expect(refused.filter((amount) => heldNano + amount <= 1_000n)).toEqual([])
      }),
      { numRuns: 30 },
    )
  }, 120_000)

  it('ends a request at the cost of its first settle, whatever is repeated or comes between', async () => {
    const between = fc.oneof(
      fc.record({ kind: fc.constant('settle' as const), request: fc.constant(0), costNano: nano }),
      fc.record({ kind: fc.constant('checkpoint' as const), request: fc.constant(0), costNano: nano }),
      fc.record({ kind: fc.constant('hold' as const), request: fc.constant(0), amountNano: nano }),
      fc.constant({ kind: 'sweep' as const }),
    )
    await fc.assert(
      fc.asyncProperty(nano, fc.array(between, { maxLength: 12 }), nano, async (amountNano, steps, lastNano) => {
        const run = await newRun(place, 1_000n)
        const all: Step[] = [...steps, { kind: 'settle', request: 0, costNano: lastNano }]
        await doStep(run, { kind: 'hold', request: 0, amountNano })
        for (const next of all) await doStep(run, next)
        const first = all.find((next) => next.kind === 'settle')
        const due = first?.kind === 'settle' && first.costNano < amountNano ? first.costNano : amountNano
        expect(await place.wallet(run.wallets[0] ?? '')).toEqual({ balanceNano: 1_000n - due, heldNano: 0n })
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  it('refuses nothing that fits and holds nothing that does not, from three processes at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nano, { minLength: 10, maxLength: 60 }), async (amounts) => {
        const { stores, wallets: ids } = await newRun(place, 1_000n)
        const workspaceId = ids[0] ?? ''
        const outcomes = await Promise.all(
          amounts.map((amountNano, index) =>
            storeAt(stores, index).hold(holdOf(randomUUID(), workspaceId, amountNano)),
          ),
        )
        const { heldNano } = await place.wallet(workspaceId)
        const held = amounts.filter((_, index) => outcomes[index] === 'held')
        expect(heldNano).toBe(held.reduce((sum, amount) => sum + amount, 0n))
        expect(heldNano <= 1_000n).toBe(true)
        // nothing was released meanwhile, so a hold that did not fit then does not fit now
        const refused = amounts.filter((_, index) => outcomes[index] === 'refused')
        expect(refused.filter((amount) => heldNano + amount <= 1_000n)).toEqual([])
      }),
      { numRuns: 60 },
    )
  }, 120_000)
})

/** Where the wallets are: in one database, or in two behind the same port. */
interface Place extends Pick<LedgerDatabase, 'wallet' | 'cap' | 'budget' | 'newWallet' | 'drop' | 'usage' | 'charged'> {
  newStore(): LedgerStore
  topUp(credit: TopUp): Promise<unknown>
  sweep(): Promise<unknown>
  violations(): Promise<readonly unknown[]>
}

async function oneLedger(connections: number): Promise<Place> {
  const database = await ledgerDatabase({ connections })
  const { pool, operator } = database
  return {
    ...database,
    newStore: () => storeOf(database, randomUUID()),
    topUp: (credit) => topUp(operator, credit),
    sweep: () => sweep(pool),
    violations: async () => (await auditLedger(operator)).violations,
  }
}

async function twoLedgers(): Promise<Place> {
  const pair = await ledgerPair()
  return {
    newWallet: pair.newWallet,
    wallet: (id) => pair.of(id).wallet(id),
    charged: (id) => pair.of(id).charged(id),
    usage: (id) => pair.of(id).usage(id),
    cap: (id, window) => pair.of(id).cap(id, window),
    budget: (id, window) => pair.of(id).budget(id, window),
    newStore() {
      const ownerId = randomUUID()
      return shardedStore(pair, (database) => storeOf(database, ownerId))
    },
    topUp: (credit) => topUp(pair.of(credit.workspaceId).operator, credit),
    sweep: () => Promise.all(pair.both.map(({ pool }) => sweep(pool))),
    async violations() {
      const audits = [auditLedger(pair.main.operator), auditLedger(pair.other.operator, otherLedger)]
      return (await Promise.all(audits)).flatMap(({ violations }) => violations)
    },
    drop: pair.drop,
  }
}

function storeOf({ pool }: LedgerDatabase, ownerId: string): LedgerStore {
  const patient = { holdTtlMs: -1_000, holdSilenceMs: 10_000, statementTimeoutMs: 10_000 }
  return createPgLedger({ pool, onEvent: () => undefined, ownerId, ...patient })
}

function sweep(pool: LedgerDatabase['pool']): Promise<number> {
  return sweepLedger({ pool, everyMs: 0, missedSweeps: 1, onEvent: () => undefined })
}

/** One run: its own wallets and request ids, and three ledgers as three processes would have them. */
interface Run {
  readonly place: Place
  readonly stores: readonly LedgerStore[]
  readonly wallets: readonly string[]
  readonly billingIds: readonly string[]
  readonly capIds: readonly string[]
}

async function newRun(place: Place, balanceNano: bigint): Promise<Run> {
  await place.sweep()
  return {
    place,
    stores: Array.from({ length: 3 }, () => place.newStore()),
    wallets: await Promise.all(Array.from({ length: wallets }, () => place.newWallet(balanceNano))),
    billingIds: Array.from({ length: requests }, () => randomUUID()),
    capIds: Array.from({ length: caps }, () => randomUUID()),
  }
}

let turn = 0

async function doStep(run: Run, next: Step): Promise<unknown> {
  const store = storeAt(run.stores, turn++)
  if (next.kind === 'sweep') return void (await run.place.sweep())
  if (next.kind === 'topUp') {
    const credit = { workspaceId: run.wallets[next.wallet] ?? '', amountNano: next.amountNano, reference: randomUUID() }
    await run.place.topUp(credit)
    return undefined
  }
  return requestStep(run, store, next)
}

async function modelStep(run: Run, model: MemoryLedger, next: Step): Promise<unknown> {
  if (next.kind === 'sweep') return void model.sweepOpen()
  if (next.kind === 'topUp') return model.topUp(run.wallets[next.wallet] ?? '', next.amountNano)
  return requestStep(run, model, next)
}

async function requestStep(
  run: Run,
  store: LedgerStore,
  next: Exclude<Step, { kind: 'sweep' | 'topUp' }>,
): Promise<unknown> {
  const { billingIds, wallets: ids } = run
  const billingId = billingIds[next.request] ?? ''
  const workspaceId = ids[next.request % ids.length] ?? ''
  switch (next.kind) {
    case 'hold':
      return store.hold({
        ...holdOf(billingId, workspaceId, next.amountNano),
        ...capOf(run, next.cap),
        ...(next.budgets === undefined ? {} : { budgets: budgetsOf(run, next.budgets) }),
      })
    case 'checkpoint':
      store.checkpoint({ billingId, costNano: next.costNano })
      return store.idle()
    case 'settle':
      return store.close({ billingId, workspaceId, costNano: next.costNano, outcome: 'posted' })
    case 'release':
      return store.close({ billingId, workspaceId, costNano: 0n, outcome: 'voided' })
  }
}

function capOf({ capIds }: Run, choice: CapChoice | undefined): { readonly cap?: SpendCap } {
  if (choice === undefined) return {}
  const { cap, window, capNano } = choice
  return { cap: { id: capIds[cap] ?? '', windowStart: windows[window] ?? new Date(0), capNano } }
}

/** Which maximum a window has while nothing is held under it does not matter. */
function sums({ spentNano, heldNano }: MemoryCap) {
  return { spentNano, heldNano }
}

/** Budgets have the ids of caps: nothing may confuse them. */
function budgetsOf({ capIds }: Run, amounts: readonly (bigint | null)[]): readonly BudgetWindow[] {
  return amounts.flatMap((amountNano, index) =>
    amountNano === null
      ? []
      : [
          {
            id: capIds[index] ?? '',
            subject: index === 0 ? '' : 'ann',
            windowStart: new Date('2026-11-30'),
            amountNano,
          },
        ],
  )
}

function windowsOf({ capIds }: Run) {
  return capIds.flatMap((id) => windows.map((windowStart) => ({ id, windowStart })))
}

function holdOf(billingId: string, workspaceId: string, amountNano: bigint) {
  const endUserId = amountNano % 2n === 0n ? null : `00000000-0000-8000-8000-00000000000${amountNano % 10n}`
  const labels = { keyId: null, tag: `tag ${amountNano % 3n}`, alias: null, endUserId }
  return { billingId, workspaceId, amountNano, kind: 'chat', model: 'sim/large', priceVersion: '1', labels }
}

function storeAt(stores: readonly LedgerStore[], index: number): LedgerStore {
  const store = stores[index % stores.length]
  if (store === undefined) throw new Error('no stores')
  return store
}
