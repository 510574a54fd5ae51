import { randomUUID } from 'node:crypto'
import { maxUnfinishedBatches } from '@ratchet/contracts/batches'
import { type EvalDatabase, evalDatabase, leaseMs } from '../runs/eval-database.fixture.ts'
import type { NewBatch } from './batch.ts'
import { createPgBatches } from './pg-batches.ts'
import { createPgLines } from './pg-lines.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database.drop())

const at = new Date('2026-12-04T10:00:00.000Z')

function newBatch(workspaceId: string = randomUUID()): NewBatch {
  return {
    id: randomUUID(),
    workspaceId,
    endpoint: '/v1/embeddings',
    metadata: { a: 'b' },
    headers: { 'x-tag': 't' },
    inputFileId: 'file-1',
    createdBy: randomUUID(),
    keyId: randomUUID(),
    createdAt: at,
    expiresAt: new Date('2036-12-05T10:00:00.000Z'),
  }
}

const stores = () => ({ batches: createPgBatches(database.pool), lines: createPgLines(database.pool) })

/** A batch that runs, with lines that cost at most 10. */
async function running(count: number, caller: Partial<NewBatch> = {}) {
  const { batches, lines } = stores()
  const batch = { ...newBatch(), ...caller }
  await batches.create(batch)
  const requests = Array.from({ length: count }, (_, place) => ({
    id: randomUUID(),
    line: place + 1,
    customId: `c${place}`,
    body: '{}',
    maxCostNano: 10n,
  }))
  await batches.addLines(batch, requests)
  const begun = await batches.begin(batch, { model: 'm', at })
  const lease = async (place: number) => {
    const leased = await lines.lease(requests[place]?.id ?? '', leaseMs)
    if (leased === null) throw new Error('nothing was leased')
    return leased
  }
  const answer = { statusCode: 200, requestId: 'r', response: '{}', costNano: 3n }
  return { batches, lines, batch, begun, requests, lease, answer }
}

it('creates batches up to the limit of a workspace', async () => {
  const { batches } = stores()
  const workspaceId = randomUUID()
  const many = Array.from({ length: maxUnfinishedBatches + 3 }, () => batches.create(newBatch(workspaceId)))
  const created = (await Promise.all(many)).filter((each) => each !== null)
  expect(created).toHaveLength(maxUnfinishedBatches)
  const [first] = created
  await batches.discard({ workspaceId, id: first?.id ?? '' })
  expect(await batches.create(newBatch(workspaceId))).toMatchObject({ status: 'validating', metadata: { a: 'b' } })
})

it('reserves what has not begun, each line once', async () => {
  const { begun, lease, lines, batches, batch } = await running(3)
  expect(begun).toMatchObject({
    status: 'in_progress',
    reservedNano: 30n,
    counts: { total: 3, completed: 0, failed: 0 },
  })
  const [first, second] = [await lease(0), await lease(1)]
  const reserved = async (line: typeof first) => (await lines.begin(line)).reservedNano
  expect([await reserved(first), await reserved(first), await reserved(second)]).toEqual([20n, 20n, 10n])
  expect((await batches.get(batch))?.reservedNano).toBe(10n)
})

it('counts answers and refusals while it runs and after it ended', async () => {
  const { lease, lines, batches, batch, answer } = await running(3)
  await lines.complete(await lease(0), answer)
  await lines.complete(await lease(1), { ...answer, statusCode: 400, costNano: 0n })
  expect(await batches.get(batch)).toMatchObject({ counts: { total: 3, completed: 1, failed: 1 }, costNano: 3n })
  expect(await lines.isOver(batch)).toBe(false)
  expect(await batches.endPending(batch, 'batch_expired')).toEqual({ isBusy: false })
  expect(await lines.ended(batch, { isAnswered: false, after: 0, limit: 10 })).toMatchObject([
    { line: 2, statusCode: 400 },
    { line: 3, error: 'batch_expired' },
  ])
  const leased = await batches.lease(batch.id, leaseMs)
  if (leased === null) throw new Error('nothing was leased')
  expect(await batches.finalize(leased, at)).toBe(true)
  const end = { status: 'expired', outputFileId: randomUUID(), errorFileId: null } as const
  expect(await batches.finish({ ...leased, generation: 0 }, end, at)).toBe(false)
  expect(await batches.finish(leased, end, at)).toBe(true)
  expect(await batches.get(batch)).toMatchObject({
    status: 'expired',
    counts: { total: 3, completed: 1, failed: 2 },
    costNano: 3n,
    reservedNano: 0n,
    endedAt: at,
    outputFileId: end.outputFileId,
  })
  expect(await lines.ended(batch, { isAnswered: true, after: 0, limit: 10 })).toEqual([])
})

it('begins no line of a cancelled batch, and cancels only one that runs', async () => {
  const { lines, batches, batch, requests } = await running(2)
  expect(await batches.cancel({ ...batch, workspaceId: randomUUID() }, at)).toBeNull()
  expect(await batches.cancel(batch, at)).toMatchObject({ status: 'cancelling', cancellingAt: at })
  expect(await batches.cancel(batch, at)).toBeNull()
  expect(await lines.lease(requests[0]?.id ?? '', leaseMs)).toBeNull()
})

it('fails one whose file is wrong, and lists the newest first', async () => {
  const { batches } = stores()
  const workspaceId = randomUUID()
  const [older, newer] = [
    newBatch(workspaceId),
    { ...newBatch(workspaceId), createdAt: new Date(at.getTime() + 1_000) },
  ]
  await batches.create(older)
  await batches.create(newer)
  const errors = [{ code: 'x', message: 'm', param: null, line: 1 }]
  expect(await batches.fail(older, { errors, at })).toMatchObject({ status: 'failed', errors, endedAt: at })
  const idsAfter = async (after: string | null) =>
    (await batches.list({ workspaceId, limit: 5, after })).map(({ id }) => id)
  expect([await idsAfter(null), await idsAfter(newer.id)]).toEqual([[newer.id, older.id], [older.id]])
})

it('counts lines as they end, without reading them', async () => {
  const { lines, batches, batch, lease, answer } = await running(4)
  await lines.complete(await lease(0), answer)
  await lines.complete(await lease(1), { ...answer, statusCode: 400, costNano: 2n })
  await lines.release(await lease(2), { kind: 'dead_lettered', error: 'x', delayMs: 0 })
  const counted = { counts: { total: 4, completed: 1, failed: 2 }, costNano: 5n }
  expect(await batches.get(batch)).toMatchObject(counted)
  expect(await batches.list({ workspaceId: batch.workspaceId, limit: 1, after: null })).toMatchObject([counted])
  await batches.endPending(batch, 'batch_cancelled')
  expect(await batches.get(batch)).toMatchObject({ counts: { total: 4, completed: 1, failed: 3 } })
})

it('may begin no line of a key that was revoked, or of a user who was removed', async () => {
  const { operator } = database
  const [workspaceId, userId, keyId] = [randomUUID(), randomUUID(), randomUUID()]
  const ids = [workspaceId, userId, keyId]
  await operator.query(
    `WITH w AS (INSERT INTO workspace (id, slug, name, created_at) VALUES ($1::uuid, $1::text, 'W', now())),
      u AS (INSERT INTO app_user (id, email, name, created_at) VALUES ($2::uuid, $2::text, 'U', now())),
      k AS (INSERT INTO api_key (id, workspace_id, user_id, name, hash, display, created_at)
        VALUES ($3::uuid, $1::uuid, $2::uuid, 'k', sha256($3::text::bytea), 'k', now()))
    INSERT INTO membership (workspace_id, user_id, role, created_at) VALUES ($1::uuid, $2::uuid, 'member', now())`,
    ids,
  )
  const ofKey = await running(1, { workspaceId, createdBy: userId, keyId })
  const ofUser = await running(1, { workspaceId, createdBy: userId, keyId: null })
  const mayRun = async ({ lines, lease }: typeof ofKey) => (await lines.begin(await lease(0))).mayRun
  const again = (id: string) => operator.query(`UPDATE batch_line SET due_at = now() WHERE batch_id = $1`, [id])
  expect([await mayRun(ofKey), await mayRun(ofUser)]).toEqual([true, true])
  await operator.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [keyId])
  await again(ofKey.batch.id)
  await again(ofUser.batch.id)
  expect([await mayRun(ofKey), await mayRun(ofUser)]).toEqual([false, true])
  await operator.query('DELETE FROM membership WHERE workspace_id = $1', [workspaceId])
  await again(ofUser.batch.id)
  expect(await mayRun(ofUser)).toBe(false)
})
