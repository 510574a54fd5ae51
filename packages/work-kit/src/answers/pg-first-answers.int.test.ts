import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { createPgFirstAnswers, sweepAnswers } from './pg-first-answers.ts'

let database: FreshDatabase
let pool: Pool
beforeAll(async () => {
  database = await freshDatabase()
  pool = connectPool({ databaseUrl: database.url, role: 'ratchet_judging', max: 4 })
})
afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

const at = (ms: number) => new Date(Date.now() + ms)
const keyOf = () => ({ workspaceId: randomUUID(), id: randomUUID() })

it('gives a key to one of many requests, and its answer to all later ones', async () => {
  const answers = createPgFirstAnswers(pool, 'judging_answer')
  const key = keyOf()
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => answers.claim(key, { at: at(0), until: at(60_000) })),
  )
  expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['claimed', ...Array(7).fill('running')])
  await answers.keep(key, { digest: 'd', answer: { id: 1 }, expiresAt: at(60_000) })
  expect(await answers.claim(key, { at: at(0), until: at(60_000) })).toEqual({
    kind: 'answered',
    digest: 'd',
    answer: { id: 1 },
  })
  const other = { ...key, workspaceId: randomUUID() }
  expect(await answers.claim(other, { at: at(0), until: at(1) })).toEqual({ kind: 'claimed' })
})

it('frees a key that is released, that a dead process held, or whose answer expired, and sweeps the last', async () => {
  const answers = createPgFirstAnswers(pool, 'judging_answer')
  const [released, held, expired] = [keyOf(), keyOf(), keyOf()] as const
  for (const key of [released, held, expired]) await answers.claim(key, { at: at(-10), until: at(-5) })
  await answers.release(released)
  await answers.keep(expired, { digest: 'd', answer: null, expiresAt: at(-5) })
  for (const key of [released, held, expired]) {
    expect(await answers.claim(key, { at: at(0), until: at(60_000) })).toEqual({ kind: 'claimed' })
  }
  await answers.keep(expired, { digest: 'd', answer: null, expiresAt: at(-5) })
  await answers.release(expired)
  await sweepAnswers(pool, 'judging_answer')
  const { rows } = await pool.query('SELECT id FROM judging_answer WHERE id = ANY($1::uuid[])', [
    [released.id, held.id, expired.id],
  ])
  expect(rows).toHaveLength(2)
})
