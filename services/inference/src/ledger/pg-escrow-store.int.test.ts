import { randomUUID } from 'node:crypto'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { eventually } from '@ratchet/testing/eventually'
import type { EscrowClosing } from './escrow-store.ts'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { createPgEscrowStore } from './pg-escrow-store.ts'
import { ledgerStatements } from './pg-ledger-statements.ts'

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

it('charges requests that are alone, or alike, as it does among others', async () => {
  const { store, workspaceId, blockIds } = await openBlocks(2)
  const [blockId = '', other = ''] = blockIds
  const labels = { keyId: other, tag: 'a, "b"\\', alias: '' }
  const kinds = [
    {},
    { costNano: 25n },
    {
      costNano: 0n,
      tokens: { promptTokens: 3, completionTokens: 0 },
      logRow: { requestId: other, expiresOn: '2027-01-31' },
    },
    { escrow: { ...closing(workspaceId, blockId, 'a\\b "c" {d}').escrow, labels } },
  ]
  const closings = (of: typeof kinds) => of.map((each) => ({ ...closing(workspaceId, blockId), ...each }))
  const rowsOf = async (drawn: readonly EscrowClosing[]) => {
    const { rows } = await database.operator.query(
      `SELECT wallet_id, block_id, cost, write_off, kind, model, price_version, log_request_id, log_expires_on::text, key_id,
         tag, alias, prompt_tokens, completion_tokens
       FROM charge WHERE request_id = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], request_id)`,
      [drawn.map(({ billingId }) => billingId)],
    )
    return rows
  }
  const together = closings(kinds)
  const alone = closings(kinds)
  expect((await store.draw(together)).size).toBe(kinds.length)
  for (const each of alone) expect(await store.draw([each])).toEqual(new Set([each.billingId]))
  const [first, second, third, last] = closings(kinds)
  if (first === undefined || second === undefined || third === undefined || last === undefined)
    throw new Error('no closing')
  expect((await store.draw([first, second, third])).size).toBe(3)
  const lasts = [last, { ...last, billingId: uuidV7(Date.now()) }]
  expect((await store.draw(lasts)).size).toBe(2)
  const expected = await rowsOf(together)
  expect(expected).toHaveLength(kinds.length)
  expect(await rowsOf(alone)).toEqual(expected)
  expect(await rowsOf([first, second, third, last])).toEqual(expected)
  expect(await rowsOf(lasts)).toEqual([expected[3], expected[3]])
})

it('charges nothing twice, nothing of another wallet, and nothing to a block that is sealed or missing', async () => {
  const { store, workspaceId, blockIds } = await openBlocks(2)
  const [open = '', sealed = ''] = blockIds
  const charged = closing(workspaceId, open)
  expect((await store.draw([charged])).size).toBe(1)
  await store.seal([sealed])
  const ofAnother = closing(await database.newWallet(1_000n), open)
  const missing = randomUUID()
  for (const each of [charged, closing(workspaceId, sealed), ofAnother, closing(workspaceId, missing)]) {
    expect(await store.draw([each])).toEqual(new Set())
    const alike = [each, { ...each, billingId: uuidV7(Date.now()) }]
    expect(await store.draw(alike)).toEqual(new Set(each === charged ? [alike[1]?.billingId] : []))
  }
})

it.each([1, 2])('waits for a seal, and then charges none of %i requests to its block', async (count) => {
  const { store, workspaceId, blockIds } = await openBlocks(1)
  const [blockId = ''] = blockIds
  const sealing = await database.operator.connect()
  try {
    await sealing.query('BEGIN')
    await sealing.query(ledgerStatements.seal, [[blockId]])
    const drawn = store.draw(Array.from({ length: count }, () => closing(workspaceId, blockId)))
    await eventually(async () => {
      const { rowCount } = await database.operator.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      expect(rowCount).toBe(1)
    })
    await sealing.query('COMMIT')
    expect(await drawn).toEqual(new Set())
  } finally {
    sealing.release(true)
  }
})
