import { randomUUID } from 'node:crypto'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { EscrowClosing } from './escrow-store.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { createPgEscrowStore } from './pg-escrow-store.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

async function openBlocks(count: number) {
  const store = createPgEscrowStore({ pool: database.pool, ownerId: randomUUID(), statementTimeoutMs: 5_000 })
  const workspaceId = await database.newWallet(1_000_000n)
  const blockIds = Array.from({ length: count }, () => randomUUID())
  for (const blockId of blockIds) {
    expect(await store.openBlock({ blockId, workspaceId, desiredNano: 10_000n, leastNano: 1n })).toBe(10_000n)
  }
  return { store, workspaceId, blockIds }
}

function closing(workspaceId: string, blockId: string, model = 'sim/large'): EscrowClosing {
  const escrow = { blockId, holdNano: 10n, kind: 'chat', model, priceVersion: '1', path: 'block' as const }
  return { billingId: uuidV7(Date.now()), workspaceId, costNano: 7n, outcome: 'posted', escrow }
}

it('charges the requests of open blocks, and names exactly those when there are others beside them', async () => {
  const { store, workspaceId, blockIds } = await openBlocks(3)
  const [first = '', second = '', sealed = ''] = blockIds
  const [earlier, ...fresh] = [first, first, second].map((blockId) => closing(workspaceId, blockId))
  if (earlier === undefined) throw new Error('no closing')
  expect(await store.draw([earlier])).toEqual(new Set([earlier.billingId]))
  await store.seal([sealed])
  const late = closing(workspaceId, sealed)
  const ofAnother = closing(await database.newWallet(1_000n), second)
  const drawn = await store.draw([late, earlier, ...fresh, ofAnother])
  expect(drawn).toEqual(new Set(fresh.map(({ billingId }) => billingId)))
  expect(await store.draw([late, earlier])).toEqual(new Set())
})

it('writes for each request what it was charged by, whatever the requests beside it have', async () => {
  const { store, workspaceId, blockIds } = await openBlocks(2)
  const models = ['a', 'b, "c"', 'a\\b', 'a']
  const closings = models.map((model, index) => ({
    ...closing(workspaceId, blockIds[index % 2] ?? '', model),
    costNano: BigInt(index * 5),
    ...(index === 1 ? { logRow: { requestId: blockIds[0] ?? '', expiresOn: '2027-01-31' } } : {}),
  }))
  expect((await store.draw(closings)).size).toBe(4)
  const { rows } = await database.operator.query(
    `SELECT block_id, model, cost::int, write_off::int, log_request_id, log_expires_on::text AS day FROM charge
     WHERE wallet_id = $1 ORDER BY array_position($2::uuid[], request_id)`,
    [workspaceId, closings.map(({ billingId }) => billingId)],
  )
  const noLog = { log_request_id: null, day: null }
  expect(rows).toEqual([
    { block_id: blockIds[0], model: 'a', cost: 0, write_off: 0, ...noLog },
    { block_id: blockIds[1], model: 'b, "c"', cost: 5, write_off: 0, log_request_id: blockIds[0], day: '2027-01-31' },
    { block_id: blockIds[0], model: 'a\\b', cost: 10, write_off: 0, ...noLog },
    { block_id: blockIds[1], model: 'a', cost: 10, write_off: 5, ...noLog },
  ])
})
