import { randomUUID } from 'node:crypto'
import { type LedgerDatabase, ledgerDatabase } from '../ledger/ledger-database.fixture.ts'
import { createPgLowEvents, createPgWalletAlerts } from './pg-wallet-alerts.ts'
import { compareWallets } from './wallet-alert.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.operator.query('DELETE FROM wallet_alert'))

const now = () => new Date('2026-11-24T12:00:00Z')

/** A workspace with an alert at 100, whose available amount the test sets. */
async function watched() {
  const workspaceId = await database.newWallet(1n)
  const userId = randomUUID()
  const alerts = createPgWalletAlerts(database.pool)
  await alerts.set({ workspaceId, userId, thresholdNano: 100n })
  const errors: unknown[] = []
  const compare = (availableNano: bigint) =>
    compareWallets({
      alerts,
      wallet: async () => ({ balanceNano: availableNano + 50n, heldNano: 70n, inBlocksNano: 20n }),
      newId: randomUUID,
      now,
      onError: (error) => void errors.push(error),
    })
  const pending = () => createPgLowEvents(database.pool).pending(10, null)
  return { workspaceId, userId, alerts, compare, pending, errors }
}

it('tells once when a wallet falls below its threshold, also when several processes see it', async () => {
  const { workspaceId, userId, compare, pending, alerts } = await watched()
  await compare(100n)
  expect(await pending()).toEqual([])
  await Promise.all([compare(99n), compare(99n), compare(98n)])
  const [event, ...more] = await pending()
  expect(more).toEqual([])
  expect(event?.event).toMatchObject({
    type: 'wallet.low',
    data: { object: 'wallet', threshold_nano: '100' },
    identity: { workspaceId, userId },
  })
  await createPgLowEvents(database.pool).end([event?.id ?? ''], now())
  await compare(5n)
  expect(await pending()).toEqual([])
  expect(await alerts.read(workspaceId)).toEqual({ thresholdNano: 100n, isBelow: true, changedAt: now() })
})

it('tells again after the wallet was above its threshold', async () => {
  const { compare, pending, alerts, workspaceId } = await watched()
  await compare(1n)
  await compare(500n)
  expect(await pending()).toEqual([])
  expect((await alerts.read(workspaceId))?.isBelow).toBe(false)
  await compare(1n)
  expect((await pending()).length).toBe(1)
})

it('compares a new threshold anew, and the same one not', async () => {
  const { compare, pending, alerts, workspaceId, userId } = await watched()
  await compare(50n)
  await createPgLowEvents(database.pool).end([(await pending())[0]?.id ?? ''], now())
  await alerts.set({ workspaceId, userId, thresholdNano: 100n })
  await compare(50n)
  expect(await pending()).toEqual([])
  await alerts.set({ workspaceId, userId, thresholdNano: 60n })
  await compare(50n)
  expect((await pending()).length).toBe(1)
  await alerts.set({ workspaceId, userId, thresholdNano: null })
  expect([await alerts.read(workspaceId), await pending()]).toEqual([null, []])
})

it('a wallet that cannot be read delays no other', async () => {
  const first = await watched()
  const second = await watched()
  const errors: unknown[] = []
  await compareWallets({
    alerts: first.alerts,
    async wallet(workspaceId) {
      if (workspaceId === first.workspaceId) throw new Error('its ledger is down')
      return { balanceNano: 0n, heldNano: 0n, inBlocksNano: 0n }
    },
    newId: randomUUID,
    now,
    onError: (error) => void errors.push(error),
  })
  expect((await second.alerts.read(second.workspaceId))?.isBelow).toBe(true)
  expect((await first.alerts.read(first.workspaceId))?.isBelow).toBe(false)
  expect(errors.length).toBe(1)
})
