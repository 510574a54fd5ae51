import { randomUUID } from 'node:crypto'
import { passes } from '@ratchet/contracts/erasure-passes'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { doPass } from './do-pass.ts'
import { type ErasureRooms, type ErasureStep, ErasureWaits } from './erasure.ts'
import { createPgErasureParts } from './pg-parts.ts'
import { isReferencedId, namesPerson, rowStep } from './pg-steps.ts'

let database: FreshDatabase
let pool: Pool
const workspaceId = randomUUID()

beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, max: 4 })
  await pool.query("INSERT INTO workspace VALUES ($1, 'w', 'W', now())", [workspaceId])
  await pool.query('CREATE TABLE note (id uuid PRIMARY KEY, workspace_id uuid NOT NULL, body text)')
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** An erasure in a pass, with its part. */
async function erasureIn(pass: number): Promise<string> {
  const id = randomUUID()
  await pool.query(
    `INSERT INTO person_erasure (id, workspace_id, kind, person, person_id, needle, pseudonym, state, pass, requested_at)
     VALUES ($1, $2, 'end_user', 'ann-7', $1, '"ann-7"', $1, $3, $4, now())`,
    [id, workspaceId, pass <= passes.lastFinding ? 'finding' : 'erasing', pass],
  )
  await pool.query("INSERT INTO erasure_part (erasure_id, service) VALUES ($1, 'eval')", [id])
  return id
}

async function addNotes(count: number, body: string): Promise<void> {
  const text = 'INSERT INTO note SELECT gen_random_uuid(), $1, $2 FROM generate_series(1, $3)'
  await pool.query(text, [workspaceId, body, count])
}

const parts = () => createPgErasureParts(pool, 'eval')
const notes = () =>
  rowStep(pool, { kind: 'notes', table: 'note', key: 'id', where: `t.workspace_id = $2 AND ${namesPerson('t.body')}` })

async function take() {
  const erasure = await parts().take(30_000)
  if (erasure === null) throw new Error('there is no work')
  return erasure
}

const run = async (steps: readonly ErasureStep[], more: Partial<ErasureRooms> = {}) =>
  doPass({ pool, parts: parts(), rooms: { find: async () => undefined, steps, ...more } }, await take())

async function part(id: string) {
  const text = 'SELECT pass, found, erased, waits_for AS waits FROM erasure_part WHERE erasure_id = $1'
  return (await pool.query(text, [id])).rows[0]
}

/** As if the lease of the process that died had ended. */
const endLeases = () => pool.query("UPDATE erasure_part SET leased_until = '-infinity'")

beforeEach(async () => {
  await pool.query('DELETE FROM person_erasure')
  await pool.query('DELETE FROM note')
})

it('counts every row once, whenever a process dies', async () => {
  await addNotes(1_700, '{"user":"ann-7"}')
  await addNotes(3, '{"user":"ann-77"}')
  const id = await erasureIn(passes.firstErasing)
  const step = notes()
  let batches = 0
  const dying: ErasureStep = {
    ...step,
    async erase(client, erasure) {
      const count = await step.erase(client, erasure)
      batches += 1
      if (batches % 2 === 0) throw new Error('killed')
      return count
    },
  }
  for (let tries = 0; tries < 10 && (await part(id)).pass === 0; tries += 1) {
    await run([dying]).catch(() => undefined)
    await endLeases()
  }
  expect(await part(id)).toMatchObject({ pass: passes.firstErasing, erased: { notes: 1_700 } })
  expect((await pool.query('SELECT 1 FROM note')).rowCount).toBe(3)
})

it('changes nothing while it counts', async () => {
  await addNotes(2, '{"user":"ann-7"}')
  const id = await erasureIn(passes.lastFinding)
  await run([notes()])
  expect(await part(id)).toMatchObject({ pass: passes.lastFinding, found: { notes: 2 }, erased: {} })
  expect((await pool.query('SELECT 1 FROM note')).rowCount).toBe(2)
})

it('says what it waits for, and goes on', async () => {
  const id = await erasureIn(passes.firstErasing)
  const waiting: ErasureStep = {
    ...notes(),
    erase: async () => {
      throw new ErasureWaits('a call goes on')
    },
  }
  await run([waiting])
  expect(await part(id)).toMatchObject({ pass: 0, waits: 'a call goes on' })
  expect(await parts().take(1_000)).toBeNull()
  await endLeases()
  await run([notes()])
  expect(await part(id)).toMatchObject({ pass: passes.firstErasing, waits: null })
})

it('is the work of one process at a time', async () => {
  await erasureIn(1)
  const taken = await Promise.all([1, 2, 3].map(() => parts().take(30_000)))
  expect(taken.filter((each) => each !== null)).toHaveLength(1)
})

it.each([
  ['{"user": "ann-7"}', true],
  ['{"user": "ann-77"}', false],
  ['{"body": "{\\"user\\":\\"ann-7\\"}"}', true],
  ['ann-7', false],
  ['log_0123456789abcdef0123456789abcdef', true],
  ['log_0123456789abcdef0123456789abcdee', false],
])('finds the person in %s: %s', async (body, isFound) => {
  const id = await erasureIn(1)
  const reference = `INSERT INTO erasure_reference (erasure_id, kind, value) VALUES ($1, 'log', '01234567-89ab-cdef-0123-456789abcdef')`
  await pool.query(reference, [id])
  const { rows } = await pool.query(`SELECT ${namesPerson('$2')} AS found`, [id, body])
  expect(rows[0]?.found).toBe(isFound)
  const ids = `SELECT 1 WHERE ${isReferencedId("'01234567-89ab-cdef-0123-456789abcdef'::uuid", 'log')}`
  expect((await pool.query(ids, [id])).rowCount).toBe(1)
})
