import { type UsageGroup, usageGroups } from '@ratchet/contracts/billing'
import { correctWallet } from '@ratchet/db/correct-wallet'
import { topUp } from '@ratchet/db/top-up'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import fc from 'fast-check'
import { startEscrowProcesses } from '../ledger/escrow-processes.fixture.ts'
import type { Closing, Hold } from '../ledger/ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import type { UsageReport } from './accounts.ts'
import { createPgAccounts, maxUsageGroups } from './pg-accounts.ts'
import { usageCsv } from './reply.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase({ connections: 12 })
})
afterAll(() => database.drop())

const creditNano = 10n ** 9n
const always = { from: new Date('2020-01-01T00:00:00Z'), to: new Date('2100-01-01T00:00:00Z') }
const keys = [null, '00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002']

/** A request of random traffic, and what becomes of it. */
const traffic = fc.record({
  process: fc.nat({ max: 1 }),
  kind: fc.constantFrom('chat', 'messages', 'judge', 'eval', 'shadow', 'assist'),
  model: fc.constantFrom('sim/large', 'sim/small', 'acme/a'),
  key: fc.constantFrom(...keys),
  tag: fc.constantFrom(null, 'support', '=1+1', 'a, "b"\\'),
  alias: fc.constantFrom(null, 'bot'),
  costNano: fc.bigInt({ min: 0n, max: 2_000n }),
  isRow: fc.boolean(),
  end: fc.constantFrom('settle', 'settle', 'settle twice', 'release', 'die', 'die, then settle'),
  checkpointNano: fc.bigInt({ min: 0n, max: 900n }),
})
const corrections = fc.array(
  fc.bigInt({ min: -9_000n, max: 9_000n }).filter((amount) => amount !== 0n),
  { maxLength: 3 },
)
type Traffic = typeof traffic extends fc.Arbitrary<infer T> ? T : never

it('every grouping adds up to what the ledger charged, whatever became of the requests', async () => {
  const accounts = createPgAccounts(database.pool)
  await fc.assert(
    fc.asyncProperty(fc.array(traffic, { minLength: 1, maxLength: 40 }), corrections, async (requests, corrected) => {
      const workspaceId = await database.newWallet(creditNano)
      await serve(workspaceId, requests)
      for (const [n, amountNano] of corrected.entries()) {
        const correction = { workspaceId, amountNano, reference: `${workspaceId} ${n}`, reason: 'wrong price' }
        expect(await correctWallet(database.pool, database, correction)).toMatchObject({ outcome: 'corrected' })
      }
      const wallet = await database.wallet(workspaceId)
      expect(wallet.heldNano).toBe(0n)
      // What people corrected is neither a credit nor a charge.
      const balanceNano = wallet.balanceNano - corrected.reduce((sum, amount) => sum + amount, 0n)
      for (const groupBy of usageGroups) {
        const report = await accounts.usage(workspaceId, { ...always, groupBy })
        expect(report).toMatchObject({ chargesNano: creditNano - balanceNano, unattributedNano: 0n, others: null })
        expect(sumOf(report)).toBe(creditNano - balanceNano)
        expect(csvSum(usageCsv(report))).toBe(creditNano - balanceNano)
        expect(report.days.reduce((total, { costNano }) => total + costNano, 0n)).toBe(creditNano - balanceNano)
      }
      const entries = await accounts.entries(workspaceId, { ...always, after: null, limit: 1_000 })
      expect(entries[0]?.balanceNano).toBe(wallet.balanceNano)
      expect(entries.at(-1)).toMatchObject({ reason: 'top_up', amountNano: creditNano, balanceNano: creditNano })
    }),
    { numRuns: 25 },
  )
}, 240_000)

async function serve(workspaceId: string, requests: readonly Traffic[]): Promise<void> {
  const processes = await startEscrowProcesses(database, { count: 2 })
  const late: (() => Promise<unknown>)[] = []
  try {
    for (const one of requests) {
      const ledger = processes.ledgers[one.process]
      if (ledger === undefined) throw new Error('no process')
      const hold = holdOf(workspaceId, one)
      if ((await ledger.hold(hold)) !== 'held') continue
      const closing = closingOf(hold, one)
      if (one.end.startsWith('die')) {
        ledger.checkpoint({ billingId: hold.billingId, costNano: one.checkpointNano })
        await ledger.idle()
        if (one.end !== 'die') late.push(() => ledger.close(closing))
      } else await ledger.close(one.end === 'release' ? { ...closing, costNano: 0n, outcome: 'voided' } : closing)
      if (one.end === 'settle twice') await ledger.close(closing)
    }
    await processes.giveBack()
    await processes.sweep()
    for (const settle of late) await settle()
    await processes.giveBack()
    await processes.sweep()
  } finally {
    await processes.stop()
  }
}

function holdOf(workspaceId: string, { kind, model, key: keyId, tag, alias, isRow }: Traffic): Hold {
  const labels = { keyId, tag, alias }
  const facts = { kind, model, priceVersion: '1', labels, isUnique: !isRow }
  return { billingId: uuidV7(Date.now()), workspaceId, amountNano: 1_000n, ...facts }
}

function closingOf({ billingId, workspaceId }: Hold, { costNano }: Traffic): Closing {
  const tokens = { promptTokens: 7, completionTokens: Number(costNano) }
  return { billingId, workspaceId, costNano, tokens, outcome: 'posted' }
}

function sumOf({ groups, others, unattributedNano }: UsageReport): bigint {
  const all = [...groups, ...(others === null ? [] : [others])]
  return all.reduce((total, { costNano }) => total + costNano, unattributedNano)
}

function csvSum(text: string): bigint {
  const cells = text.trimEnd().split('\r\n').slice(1)
  return cells.reduce((total, line) => total + BigInt(line.slice(line.lastIndexOf(',') + 1)), 0n)
}

describe('usage', () => {
  it('names purposes, keys, tags and tokens', async () => {
    const workspaceId = await database.newWallet(creditNano)
    const labels = { model: 'sim/large', key: keys[1] ?? null, tag: 'support', alias: 'bot' } as const
    const one = { process: 0, kind: 'chat', costNano: 5n, ...labels } as const
    const rest = { isRow: true, end: 'settle', checkpointNano: 0n } as const
    await serve(workspaceId, [
      { ...one, ...rest },
      { ...one, ...rest, kind: 'judge', key: null, tag: null, alias: null, costNano: 3n },
    ])
    const accounts = createPgAccounts(database.pool)
    const of = async (groupBy: UsageGroup) => (await accounts.usage(workspaceId, { ...always, groupBy })).groups
    const sums = (costNano: bigint) => ({ requests: 1, promptTokens: 7, completionTokens: Number(costNano), costNano })
    const first = sums(5n)
    const second = sums(3n)
    expect(await of('purpose')).toEqual([
      { group: 'traffic', ...first },
      { group: 'judge', ...second },
    ])
    expect(await of('key')).toEqual([
      { group: keys[1], ...first },
      { group: null, ...second },
    ])
    expect(await of('tag')).toEqual([
      { group: 'support', ...first },
      { group: null, ...second },
    ])
    expect(await of('alias')).toEqual([
      { group: 'bot', ...first },
      { group: null, ...second },
    ])
  })

  it('shows charges of earlier releases as the unattributed rest', async () => {
    const workspaceId = await database.newWallet(creditNano)
    const text = `
      INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
      SELECT $1, gen_random_uuid(), side.sign * 40, side.account, 'usage'
      FROM (VALUES ('wallet'::ledger_account, -1), ('usage', 1)) AS side(account, sign)`
    await database.operator.query(text, [workspaceId])
    const report = await createPgAccounts(database.pool).usage(workspaceId, { ...always, groupBy: 'model' })
    const days = [{ kind: 'unattributed', group: null, costNano: 40n }]
    expect(report).toMatchObject({ chargesNano: 40n, unattributedNano: 40n, groups: [], others: null, days })
  })

  it('sums up groups beyond the most expensive ones', async () => {
    const workspaceId = await database.newWallet(creditNano)
    const count = maxUsageGroups + 7
    const entries = `
      INSERT INTO ledger_entry (wallet_id, request_id, amount, account, reason)
      SELECT $1, gen_random_uuid(), side.sign * $2::bigint, side.account, 'usage'
      FROM (VALUES ('wallet'::ledger_account, -1), ('usage', 1)) AS side(account, sign)`
    await database.operator.query(entries, [workspaceId, (count * (count + 1)) / 2])
    const usage = `
      INSERT INTO usage_hour SELECT $1, date_trunc('hour', now(), 'UTC'), 'chat', 'm',
        '00000000-0000-0000-0000-000000000000', 'tag ' || n, '', 1, 0, 0, n FROM generate_series(1, $2::int) n`
    await database.operator.query(usage, [workspaceId, count])
    const report = await createPgAccounts(database.pool).usage(workspaceId, { ...always, groupBy: 'tag' })
    expect(report.groups.length).toBe(maxUsageGroups)
    expect(report.others).toMatchObject({ groups: 7, costNano: 28n })
    expect(sumOf(report)).toBe(report.chargesNano)
    const days = report.days.map(({ kind, group, costNano }) => [kind, group, costNano])
    const rest = BigInt(((count - 5) * (count - 4)) / 2)
    const largest = [0, 1, 2, 3, 4].map((n) => ['group', `tag ${count - n}`, BigInt(count - n)])
    expect(days).toEqual([...largest, ['others', null, rest]])
  })
})

describe('the ledger', () => {
  it('is read page by page, each entry with the balance after it, and nothing of another workspace', async () => {
    const workspaceId = await database.newWallet(1_000n)
    const other = await database.newWallet(77n)
    for (let n = 1; n <= 6; n += 1) {
      await topUp(database.operator, { workspaceId, amountNano: BigInt(n), reference: `${workspaceId} ${n}` })
    }
    const accounts = createPgAccounts(database.pool)
    const all = await accounts.entries(workspaceId, { ...always, after: null, limit: 100 })
    expect(all.map(({ balanceNano }) => balanceNano)).toEqual([1_021n, 1_015n, 1_010n, 1_006n, 1_003n, 1_001n, 1_000n])
    const pages = []
    for (let after = null as (typeof all)[number] | null; ; ) {
      const page = await accounts.entries(workspaceId, { ...always, after, limit: 3 })
      pages.push(...page)
      after = page.at(-1) ?? null
      if (page.length < 3) break
    }
    expect(pages).toEqual(all)
    // a place in the ledger of another workspace says nothing about it
    const foreign = await accounts.entries(other, { ...always, after: all[0] ?? null, limit: 9 })
    expect(foreign.map(({ amountNano, balanceNano }) => [amountNano, balanceNano])).toEqual([[77n, 77n]])
  })

  it('closes each month with what opens the next', async () => {
    const workspaceId = await database.newWallet(1n)
    const moved = `
      INSERT INTO ledger_entry (wallet_id, amount, account, reason, external_ref, at) VALUES
        ($1::uuid, 100, 'wallet', 'top_up', $1::text || 'a', '2026-08-31T23:59:59.999Z'),
        ($1::uuid, 30, 'wallet', 'top_up', $1::text || 'b', '2026-09-01T00:00:00Z')`
    await database.operator.query(moved, [workspaceId])
    const charged = `
      INSERT INTO ledger_entry (wallet_id, amount, account, reason, request_id, at)
      VALUES ($1, -7, 'wallet', 'usage', gen_random_uuid(), '2026-09-30T23:59:59.999Z')`
    await database.operator.query(charged, [workspaceId])
    const accounts = createPgAccounts(database.pool)
    const of = (month: string, next: string) =>
      accounts.statement(workspaceId, { from: new Date(`${month}-01T00:00:00Z`), to: new Date(`${next}-01T00:00:00Z`) })
    const { sums: september, usage } = await of('2026-09', '2026-10')
    expect(september).toMatchObject({ openingNano: 100n, creditsNano: 30n, chargesNano: 7n, closingNano: 123n })
    expect(september.credits.map(({ reference }) => reference)).toEqual([`${workspaceId}b`])
    expect(usage).toEqual({ chargesNano: 7n, unattributedNano: 7n, groups: [], others: null })
    expect((await of('2026-10', '2026-11')).sums).toMatchObject({ openingNano: 123n, closingNano: 123n })
  })
})
