import { randomUUID } from 'node:crypto'
import { windowStartOf } from '@ratchet/contracts/budget-window'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { topUp } from '@ratchet/db/top-up'
import { endUserId } from '@ratchet/service-kit/values/end-user-id'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { appliedBudgets } from '../budgets/applied-budgets.ts'
import type { StoredBudget } from '../budgets/budget-store.ts'
import { createPgBudgets } from '../budgets/pg-budgets.ts'
import type { BudgetWindow, Closing, HoldOutcome } from '../ledger/ledger.ts'
import type { LedgerStore } from '../ledger/ledger-store.ts'
import { type MovedLedger, movedLedger } from '../ledger/moved-ledger.fixture.ts'
import { overBudget } from '../ledger/over-budget.ts'
import { createPgLedger } from '../ledger/pg-ledger.ts'
import { beat } from '../ledger/pg-ledger-owner.ts'
import { sweepLedger } from '../ledger/pg-ledger-sweeper.ts'
import { createPgWarnings } from '../warnings/pg-warnings.ts'
import { findWarnings } from '../warnings/warning.ts'
import { createPgAccounts } from './pg-accounts.ts'
import { statementCsv } from './reply.ts'

/*
 * A month of forty teams on the ledger, with a moved clock of the database, connections that are ended and processes that
 * disappear. Everything that people read afterwards must agree with what this test knows of each request, to the nano-dollar.
 */

const seed = Number(process.env.MONTH_SEED ?? 7)
const teamCount = 40
const days = 30
/** Minutes of each day (UTC) at which teams ask; the last one is shortly before midnight. */
const moments = [9 * 60 + 15, 23 * 60 + 59]
const month = { from: new Date('2026-11-01T00:00:00Z'), to: new Date('2026-12-01T00:00:00Z') }
const random = seededRandom(seed)
const upTo = (count: number) => Math.floor(random() * count)
const nano = (most: number) => BigInt(1 + upTo(most))
const models = ['sim/small', 'sim/medium', 'sim/large']
const users = ['ann', 'bob', 'eve']
const tags = ['batch', 'chat']

interface Team {
  readonly workspaceId: string
  readonly keyId: string
  readonly opening: bigint
  readonly budgets: readonly StoredBudget[]
  /** What was paid in during the month. */
  credit: bigint
  /** What was charged, and what processes that disappeared still hold. */
  spent: bigint
  held: bigint
}

interface Asked {
  readonly team: Team
  readonly billingId: string
  readonly holdNano: bigint
  readonly model: string
  readonly user: string
  readonly tag: string
  readonly windows: readonly BudgetWindow[]
}

interface Charged extends Asked {
  readonly at: Date
  readonly costNano: bigint
}

let database: MovedLedger
const teams: Team[] = []
const charged: Charged[] = []
const budgetsById = new Map<string, StoredBudget>()
/** Requests whose process disappeared, with the cost that they had then. */
const orphans = new Set<Asked & { readonly costNano: bigint }>()
/** What was spent in each window, and is held in it. */
const used = new Map<string, { readonly window: BudgetWindow; spent: bigint; held: bigint }>()
const warned = new Set<string>()
const seen = { refused: 0, overBudget: 0, orphans: 0, ended: 0 }

beforeAll(async () => {
  database = await movedLedger()
  await database.moveTo(new Date('2026-10-31T22:00:00Z'))
  for (let n = 0; n < teamCount; n += 1) teams.push(await newTeam(n))
  await liveThroughTheMonth()
}, 280_000)
afterAll(() => database?.drop())

async function newTeam(n: number): Promise<Team> {
  // Some teams run out of credit.
  const opening = n % 5 === 0 ? 9_000n : 1_000_000n
  const workspaceId = await database.newWallet(opening)
  const rows = [
    ['workspace', '', 'day', 2_500n, 1_500n],
    ['user', '*', 'month', 12_000n, 6_000n],
    ['tag', 'batch', 'week', 6_000n, null],
    ['workspace', '', 'total', 70_000n, 20_000n],
  ] as const
  for (const [scope, subject, period, amount, warnAt] of rows) {
    await database.operator.query(
      `INSERT INTO budget (id, workspace_id, scope, subject, period, amount, warn_at, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now(), now())`,
      [randomUUID(), workspaceId, scope, subject, period, amount, warnAt],
    )
  }
  const budgets = await createPgBudgets(database.pool).list(workspaceId)
  for (const budget of budgets) budgetsById.set(budget.id, budget)
  return { workspaceId, keyId: randomUUID(), opening, budgets, credit: 0n, spent: 0n, held: 0n }
}

const newStore = async (): Promise<LedgerStore> => {
  const owner = { pool: database.pool, ownerId: randomUUID() }
  await eventually(() => beat(owner).then(() => true))
  return createPgLedger({ ...owner, onEvent: () => undefined })
}

async function liveThroughTheMonth(): Promise<void> {
  let store = await newStore()
  for (let day = 0; day < days; day += 1) {
    for (const minute of moments) {
      const at = new Date(month.from.getTime() + (day * 24 * 60 + minute) * 60_000)
      await sweepAt(at)
      if (day === 14) for (const team of teams) await payIn(team, `${team.workspaceId} ${minute}`)
      if (upTo(4) === 0) store = await newStore()
      const asking = teams.map((team) => askOften(store, team, at))
      if (upTo(5) === 0) await endConnections()
      await Promise.all(asking)
      await look(at)
    }
  }
  await sweepAt(new Date(month.to.getTime() + 3 * 3_600_000))
}

/** Closes what processes left that disappeared at an earlier moment. */
async function sweepAt(at: Date): Promise<void> {
  await database.moveTo(at)
  const sweep = () => sweepLedger({ pool: database.pool, onEvent: () => undefined, everyMs: 0 })
  const swept = await eventually(() => sweep().then((count) => ({ count })))
  expect(swept.count).toBe(orphans.size)
  for (const orphan of orphans) {
    count(orphan, { held: -orphan.holdNano })
    charge({ ...orphan, at })
  }
  orphans.clear()
}

async function payIn(team: Team, reference: string): Promise<void> {
  const amountNano = nano(5_000)
  await topUp(database.operator, { workspaceId: team.workspaceId, amountNano, reference })
  team.credit += amountNano
}

/** As if Postgres had been restarted: every connection ends, whatever it is doing. */
async function endConnections(): Promise<void> {
  const { rowCount } = await database.operator.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  seen.ended += rowCount ?? 0
}

async function askOften(store: LedgerStore, team: Team, at: Date): Promise<void> {
  for (let left = 1 + upTo(3); left > 0; left -= 1) {
    const asked = newRequest(team, at)
    const isLeft = upTo(25) === 0
    await askOnce(isLeft ? await newStore() : store, asked, { at, isLeft })
  }
}

function newRequest(team: Team, at: Date): Asked {
  const [user, tag] = [users[upTo(3)] ?? '', tags[upTo(2)] ?? '']
  const spender = { keyId: team.keyId, user: { id: endUserId(team.workspaceId, user), name: user }, tag }
  const windows = appliedBudgets(team.budgets, spender, at).map(({ window }) => window)
  const model = models[upTo(3)] ?? ''
  return { team, billingId: randomUUID(), holdNano: nano(1_500), model, user, tag, windows }
}

async function askOnce(store: LedgerStore, asked: Asked, { at, isLeft }: { at: Date; isLeft: boolean }): Promise<void> {
  const { team, billingId, holdNano: amountNano, model, user, tag, windows: budgets } = asked
  const { workspaceId, keyId } = team
  const [expected, costNano] = [expectedOutcome(asked), nano(Number(amountNano))]
  const labels = { keyId, tag, alias: null, endUserId: endUserId(workspaceId, user) }
  const hold = { billingId, workspaceId, amountNano, kind: 'chat', model, priceVersion: '1', labels, budgets }
  const close = (closing: Pick<Closing, 'costNano' | 'outcome'>) =>
    eventually(() => store.close({ billingId, workspaceId, ...closing }))
  let outcome: HoldOutcome
  try {
    outcome = await store.hold(hold)
  } catch {
    // Nobody knows whether it was taken. Inference refuses the request, and closes it without a charge.
    await close({ outcome: 'voided', costNano: 0n })
    return
  }
  expect(outcome).toBe(expected)
  if (outcome !== 'held') {
    seen[outcome === 'refused' ? 'refused' : 'overBudget'] += 1
    return
  }
  if (isLeft) return leave(store, { ...asked, costNano })
  await close({ outcome: 'posted', costNano })
  charge({ ...asked, at, costNano })
}

function charge(each: Charged): void {
  charged.push(each)
  count(each, { spent: each.costNano })
}

function count({ team, windows }: Asked, { spent = 0n, held = 0n }): void {
  team.spent += spent
  team.held += held
  for (const window of windows) {
    const counted = used.get(keyOf(window)) ?? { window, spent: 0n, held: 0n }
    counted.spent += spent
    counted.held += held
    used.set(keyOf(window), counted)
  }
}

/** The process disappears after it has stored the cost so far. When that is lost too, nothing is charged. */
async function leave(store: LedgerStore, orphan: Asked & { readonly costNano: bigint }): Promise<void> {
  store.checkpoint({ billingId: orphan.billingId, costNano: orphan.costNano })
  await store.idle().catch(() => undefined)
  const { rows } = await eventually(() =>
    database.operator.query<{ checkpoint: string }>(
      'SELECT checkpoint FROM billing_request WHERE request_id = $1 AND wallet_id = $2',
      [orphan.billingId, orphan.team.workspaceId],
    ),
  )
  orphans.add({ ...orphan, costNano: BigInt(rows[0]?.checkpoint ?? 0) })
  count(orphan, { held: orphan.holdNano })
  seen.orphans += 1
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n)
const costs = (some: readonly Charged[]) => sum(some.map(({ costNano }) => costNano))
const chargedTo = (team: Team) => charged.filter((each) => each.team === team)

const keyOf = ({ id, subject, windowStart }: BudgetWindow) => `${id} ${windowStart.toISOString()} ${subject}`

function expectedOutcome({ team, holdNano, windows }: Asked): HoldOutcome {
  if (team.opening + team.credit - team.spent - team.held < holdNano) return 'refused'
  const exceeded = windows.flatMap((window, place) => {
    const { spent, held } = used.get(keyOf(window)) ?? { spent: 0n, held: 0n }
    return spent + held + holdNano > window.amountNano ? [place] : []
  })
  return exceeded.length === 0 ? 'held' : overBudget(exceeded)
}

/** Looks for warnings as inference does, and notes which must be there. */
async function look(at: Date): Promise<void> {
  const accounts = createPgAccounts(database.pool)
  await eventually(async () => {
    const errors: unknown[] = []
    await findWarnings({
      store: createPgWarnings(database.pool),
      budgetSpend: accounts.budgetSpend,
      now: () => at,
      onError: (error) => void errors.push(error),
    })
    return errors.length === 0
  })
  for (const { window, spent, held } of used.values()) {
    const { id, subject, windowStart } = window
    const { period, warnAtNano } = budgetsById.get(id) as StoredBudget
    const isPresent = windowStart.getTime() === windowStartOf(period, at).getTime()
    if (warnAtNano === null || !isPresent || spent + held < warnAtNano) continue
    warned.add(`${id} ${windowStart.toISOString()} ${warnAtNano} ${subject}`)
  }
}

it('has seen everything that it is about', () => {
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
  expect(warned.size).toBeGreaterThan(teamCount)
})

it('has counted every charge in each budget that it counts for, and holds nothing', async () => {
  const { rows } = await database.operator.query<
    Record<'budget_id' | 'subject' | 'spent' | 'held', string> & { window_start: Date }
  >('SELECT budget_id, subject, window_start, spent, held FROM budget_window WHERE spent <> 0 OR held <> 0')
  const found = rows.map((row) => [
    `${row.budget_id} ${row.window_start.toISOString()} ${row.subject}`,
    BigInt(row.spent),
    BigInt(row.held),
  ])
  const expected = [...used].map(([key, { spent, held }]) => [key, spent, held] as const)
  const byKey = (a: readonly unknown[], b: readonly unknown[]) => String(a[0]).localeCompare(String(b[0]))
  expect(found.toSorted(byKey)).toEqual(expected.filter(([, spent]) => spent !== 0n).toSorted(byKey))
})

it('has warned of exactly what was spent or held, once', async () => {
  const { rows } = await database.operator.query<{ about: string }>('SELECT about FROM workspace_warning')
  expect(rows.map(({ about }) => about).toSorted()).toEqual([...warned].toSorted())
})

it('states the month of each team as it was: opening, credits, charges by model, closing, also as CSV', async () => {
  for (const team of teams) {
    const inMonth = chargedTo(team).filter(({ at }) => at < month.to)
    const { sums, usage } = await createPgAccounts(database.pool).statement(team.workspaceId, month)
    const charges = costs(inMonth)
    expect(sums).toMatchObject({
      openingNano: team.opening,
      creditsNano: team.credit,
      chargesNano: charges,
      closingNano: team.opening + team.credit - charges,
    })
    const byModel = models.map((model) => [model, costs(inMonth.filter((each) => each.model === model))] as const)
    const groups = usage.groups.map(({ group, costNano }) => [group, costNano] as const)
    expect(new Map(groups)).toEqual(new Map(byModel.filter(([, cost]) => cost > 0n)))
    const lines = statementCsv(sums, usage).trim().split(/\r?\n/).slice(1)
    const amounts = lines.map((line) => [line.split(',')[0], BigInt(line.split(',').at(-1) ?? '')] as const)
    const amountOf = (name: string) => sum(amounts.filter(([each]) => each === name).map(([, amount]) => amount))
    expect(amountOf('charges')).toBe(-charges)
    expect(amountOf('opening') + amountOf('credit') + amountOf('charges')).toBe(amountOf('closing'))
  }
})

it('adds up usage by hour, user and tag to the ledger', async () => {
  const accounts = createPgAccounts(database.pool)
  const all = { from: month.from, to: new Date(month.to.getTime() + 86_400_000) }
  for (const team of teams) {
    expect(await database.usage(team.workspaceId)).toEqual(await database.charged(team.workspaceId))
    for (const [groupBy, names, of] of [
      [
        'user',
        users.map((name) => endUserId(team.workspaceId, name)),
        ({ user }: Charged) => endUserId(team.workspaceId, user),
      ],
      ['tag', tags, ({ tag }: Charged) => tag],
    ] as const) {
      const { groups, chargesNano } = await accounts.usage(team.workspaceId, { ...all, groupBy })
      expect(chargesNano).toBe(costs(chargedTo(team)))
      const expected = names.map((name) => [name, costs(chargedTo(team).filter((each) => of(each) === name))] as const)
      const found = groups.flatMap(({ group, costNano }) => (costNano === 0n ? [] : [[group, costNano] as const]))
      expect(new Map(found)).toEqual(new Map(expected.filter(([, cost]) => cost > 0n)))
    }
  }
})

it('leaves each wallet with what was paid in less what was charged, and the auditor content', async () => {
  for (const team of teams) {
    const balanceNano = team.opening + team.credit - costs(chargedTo(team))
    expect(await database.walletNow(team.workspaceId)).toEqual({ balanceNano, heldNano: 0n })
  }
  const { violations } = await auditLedger(database.operator)
  expect(violations).toEqual([])
})
