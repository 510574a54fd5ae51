import { randomUUID } from 'node:crypto'
import { auditLedger } from '@ratchet/db/audit-ledger'
import { topUp } from '@ratchet/db/top-up'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { budgetContract } from './budget.contract.ts'
import { type EscrowProcesses, startEscrowProcesses } from './escrow-processes.fixture.ts'
import { ledgerContract } from './ledger.contract.ts'
import { type Hold, type LedgerEvent, LedgerUnavailable } from './ledger.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import type { LedgerStore } from './ledger-store.ts'
import { spendCapContract } from './spend-cap.contract.ts'

let database: LedgerDatabase
const running: EscrowProcesses[] = []
beforeAll(async () => {
  database = await ledgerDatabase({ connections: 12 })
})
afterEach(async () => {
  for (const processes of running.splice(0)) await processes.stop()
})
afterAll(() => database.drop())

async function start(count: number, events: LedgerEvent[] = []): Promise<EscrowProcesses> {
  const processes = await startEscrowProcesses(database, { count, onEvent: (event) => events.push(event) })
  running.push(processes)
  return processes
}

/** The ledgers of up to three processes; the last one stands for those that are missing. */
function inOrder({ ledgers }: Pick<EscrowProcesses, 'ledgers'>): [LedgerStore, LedgerStore, LedgerStore] {
  const [first, second = first, third = second] = ledgers
  if (first === undefined || second === undefined || third === undefined) throw new Error('no processes')
  return [first, second, third]
}

const open = async () => {
  const events: LedgerEvent[] = []
  const processes = await start(2, events)
  await processes.sweep() // closes what the test before left open
  events.length = 0
  const [store, other] = inOrder(processes)
  return {
    store,
    events,
    another: () => other,
    newWallet: database.newWallet,
    balance: async (workspaceId: string) => (await database.walletNow(workspaceId)).balanceNano,
    async wallet(workspaceId: string) {
      await processes.giveBack()
      return database.wallet(workspaceId)
    },
    cap: database.cap,
    budget: database.budget,
    sweepOpen: processes.sweep,
  }
}

ledgerContract('escrow ledger', open)
spendCapContract('spend caps beside blocks', open)
budgetContract('budgets beside blocks', open)

const holdOf = (workspaceId: string, amountNano: bigint): Hold => ({
  billingId: uuidV7(Date.now()),
  workspaceId,
  amountNano,
  kind: 'chat',
  model: 'sim/large',
  priceVersion: '1',
  isUnique: true,
})

/** Makes every process hold a block of the wallet, by requests that end without a charge. */
async function takeBlocks(ledgers: readonly LedgerStore[], workspaceId: string): Promise<void> {
  for (const ledger of ledgers) {
    for (let count = 0; count < 3; count += 1) {
      const hold = holdOf(workspaceId, 100n)
      await ledger.hold(hold)
      await ledger.close({ billingId: hold.billingId, workspaceId, costNano: 0n, outcome: 'voided' })
      await ledger.idle()
    }
  }
  const { rows } = await database.operator.query(
    "SELECT count(DISTINCT owner_id)::int AS owners FROM escrow_block WHERE wallet_id = $1 AND state = 'open'",
    [workspaceId],
  )
  expect(rows[0].owners).toBe(ledgers.length)
}

it('lends up to the last nano-dollar although other processes hold blocks, and refuses one more', async () => {
  const { ledgers } = await start(3)
  const workspaceId = await database.newWallet(10_000n)
  await takeBlocks(ledgers, workspaceId)
  const [first, second, third] = inOrder({ ledgers })
  expect(await first.hold(holdOf(workspaceId, 10_001n))).toBe('refused')
  await takeBlocksAgain(ledgers, workspaceId)
  expect(await second.hold(holdOf(workspaceId, 9_900n))).toBe('held')
  expect(await third.hold(holdOf(workspaceId, 101n))).toBe('refused')
  expect(await third.hold(holdOf(workspaceId, 100n))).toBe('held')
})

/** A recalled wallet lends no blocks for some time. */
async function takeBlocksAgain(ledgers: readonly LedgerStore[], workspaceId: string): Promise<void> {
  await database.operator.query('UPDATE wallet SET recalled_until = NULL WHERE workspace_id = $1', [workspaceId])
  await takeBlocks((await start(ledgers.length)).ledgers, workspaceId)
}

it('counts requests that run in memory as held when a wallet is recalled', async () => {
  const { ledgers } = await start(2)
  const workspaceId = await database.newWallet(10_000n)
  await takeBlocks(ledgers, workspaceId)
  const [first, second] = inOrder({ ledgers })
  const inMemory = holdOf(workspaceId, 100n)
  expect(await first.hold(inMemory)).toBe('held')
  expect(await second.hold(holdOf(workspaceId, 9_901n))).toBe('refused')
  expect(await second.hold(holdOf(workspaceId, 9_900n))).toBe('held')
  expect(await first.close({ ...inMemory, costNano: 70n, outcome: 'posted' })).toEqual({ chargedNano: 70n })
  expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 9_930n, heldNano: 9_900n })
})

it('never says that a wallet is empty while a process that does not answer holds a block of it', async () => {
  const deaf = await startEscrowProcesses(database, { count: 1, isDeaf: true })
  const asking = await startEscrowProcesses(database, { count: 1, recallWaitMs: 250 })
  running.push(deaf, asking)
  const workspaceId = await database.newWallet(10_000n)
  await takeBlocks(deaf.ledgers, workspaceId)
  const [ledger] = inOrder(asking)
  const startedMs = performance.now()
  const refusal = await ledger.hold(holdOf(workspaceId, 10_000n)).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(LedgerUnavailable)
  expect(refusal).toMatchObject({ uncertain: false })
  expect(performance.now() - startedMs).toBeGreaterThan(240)
  await asking.sweep()
  expect(await ledger.hold(holdOf(workspaceId, 10_000n))).toBe('held')
})

it('charges a request late only when no block of its wallet is left', async () => {
  const asking = await startEscrowProcesses(database, { count: 1, recallWaitMs: 50 })
  const deaf = await startEscrowProcesses(database, { count: 1, isDeaf: true })
  running.push(asking, deaf)
  const workspaceId = await database.newWallet(10_000n)
  await takeBlocks(asking.ledgers, workspaceId)
  const [ledger] = inOrder(asking)
  const late = { ...holdOf(workspaceId, 100n), costNano: 70n, outcome: 'posted' } as const
  expect(await ledger.hold(late)).toBe('held')
  await asking.sweep()
  await takeBlocks(deaf.ledgers, workspaceId)
  const failure = await ledger.close(late).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(LedgerUnavailable)
  expect(failure).toMatchObject({ uncertain: false })
  await asking.sweep()
  expect(await ledger.close(late)).toEqual({ chargedNano: 70n })
  expect(await database.wallet(workspaceId)).toEqual({ balanceNano: 9_930n, heldNano: 0n })
})

it('opens no block while a process of the release before runs, or for a wallet that is too poor', async () => {
  const [rich, poor] = [await database.newWallet(10_000n), await database.newWallet(150n)]
  const blocks = async () => {
    const [ledger] = inOrder(await start(1))
    for (const workspaceId of [rich, rich, rich, poor, poor, poor]) {
      const hold = holdOf(workspaceId, 100n)
      await ledger.hold(hold)
      await ledger.close({ ...hold, costNano: 0n, outcome: 'voided' })
      await ledger.idle()
    }
    const text = 'SELECT wallet_id FROM escrow_block WHERE wallet_id = ANY($1)'
    return (await database.operator.query(text, [[rich, poor]])).rows.map(({ wallet_id }) => wallet_id)
  }
  const oldOwner = randomUUID()
  const beatOfOld = 'INSERT INTO ledger_owner (owner_id, heartbeat_at, counted_at) VALUES ($1, now(), now())'
  await database.operator.query(beatOfOld, [oldOwner])
  expect(await blocks()).toEqual([])
  await database.operator.query('DELETE FROM ledger_owner WHERE owner_id = $1', [oldOwner])
  expect(await blocks()).toEqual([rich])
})

it('shows a top-up and the charges of open blocks in the balance at once', async () => {
  const { ledgers } = await start(1)
  const workspaceId = await database.newWallet(10_000n)
  await takeBlocks(ledgers, workspaceId)
  const [ledger] = inOrder({ ledgers })
  const hold = holdOf(workspaceId, 100n)
  await ledger.hold(hold)
  await ledger.close({ ...hold, costNano: 40n, outcome: 'posted' })
  const credit = { workspaceId, amountNano: 5n, reference: randomUUID() }
  expect(await topUp(database.operator, credit)).toEqual({ balanceNano: 9_965n, credited: true })
  expect((await auditLedger(database.operator)).violations).toEqual([])
})

it('stores each charge in the partition of its month', async () => {
  const { ledgers } = await start(1)
  const workspaceId = await database.newWallet(10_000n)
  await takeBlocks(ledgers, workspaceId)
  const [ledger] = inOrder({ ledgers })
  const hold = holdOf(workspaceId, 100n)
  await ledger.hold(hold)
  await ledger.close({ ...hold, costNano: 40n, outcome: 'posted' })
  const text = 'SELECT tableoid::regclass::text AS part FROM charge WHERE request_id = $1'
  const { rows } = await database.operator.query(text, [hold.billingId])
  expect(rows).toEqual([{ part: `charge_${new Date().toISOString().slice(0, 7).replace('-', '')}` }])
})

it('creates partitions for later months although this one has charges in the default partition', async () => {
  const client = await database.operator.connect()
  const { rows: parts } = await client.query(
    "SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'charge'::regclass ORDER BY 1",
  )
  const [now, ...later] = parts.map(({ part }) => part).filter((part) => part !== 'charge_default')
  await client.query('BEGIN')
  await client.query(`DROP TABLE ${[now, ...later].join(', ')}`)
  const charge =
    "INSERT INTO charge (request_id, wallet_id, block_id, cost, kind, model, price_version) VALUES ($1, $1, $1, 1, '', '', '')"
  await client.query(charge, [uuidV7(Date.now())])
  await client.query('SELECT ensure_charge_partitions()')
  const text = 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL ORDER BY 1'
  const { rows } = await client.query(text, [[now, ...later]])
  await client.query('ROLLBACK')
  client.release()
  expect(later).toHaveLength(2)
  expect(rows.map(({ name }) => name)).toEqual(later)
})
