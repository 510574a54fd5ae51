import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { AnswerKey, ClaimedKey, FirstAnswers } from '@ratchet/service-kit/http/answer-once'
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

async function claimOf(answers: FirstAnswers, key: AnswerKey, time: { at: Date; until: Date }): Promise<string> {
  const claim = await answers.claim(key, time)
  if (claim.kind !== 'claimed') throw new Error(`the key is ${claim.kind}`)
  return claim.token
}

const keyOf = () => ({ workspaceId: randomUUID(), id: randomUUID() })

it('gives a key to one of many requests, and its answer to all later ones', async () => {
  const answers = createPgFirstAnswers(pool, 'judging_answer')
  const key = keyOf()
  const claims = await Promise.all(
    Array.from({ length: 8 }, () => answers.claim(key, { at: at(0), until: at(60_000) })),
  )
  expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['claimed', ...Array(7).fill('running')])
  const token = claims.flatMap((claim) => (claim.kind === 'claimed' ? [claim.token] : []))[0] ?? ''
  await answers.keep({ ...key, token }, { digest: 'd', answer: { id: 1 }, expiresAt: at(60_000) })
  expect(await answers.claim(key, { at: at(0), until: at(60_000) })).toEqual({
    kind: 'answered',
    digest: 'd',
    answer: { id: 1 },
  })
  const other = { ...key, workspaceId: randomUUID() }
  expect(await answers.claim(other, { at: at(0), until: at(1) })).toMatchObject({ kind: 'claimed' })
})

it('frees a key that is released, that a dead process held, or whose answer expired, and sweeps the last', async () => {
  const answers = createPgFirstAnswers(pool, 'judging_answer')
  const [released, held, expired] = [keyOf(), keyOf(), keyOf()] as const
  const before = { at: at(-10), until: at(-5) }
  const tokens = []
  for (const key of [released, held, expired]) tokens.push({ ...key, token: await claimOf(answers, key, before) })
  const [first, , third] = tokens as [ClaimedKey, ClaimedKey, ClaimedKey]
  await answers.release(first)
  await answers.keep(third, { digest: 'd', answer: null, expiresAt: at(-5) })
  const now = { at: at(0), until: at(60_000) }
  await claimOf(answers, released, now)
  await claimOf(answers, held, now)
  const again = { ...expired, token: await claimOf(answers, expired, now) }
  await answers.keep(again, { digest: 'd', answer: null, expiresAt: at(-5) })
  await answers.release(again)
  await sweepAnswers(pool, 'judging_answer')
  const { rows } = await pool.query('SELECT id FROM judging_answer WHERE id = ANY($1::uuid[])', [
    [released.id, held.id, expired.id],
  ])
  expect(rows).toHaveLength(2)
})

it('leaves a key alone that another request has taken over, and renews a claim', async () => {
  const answers = createPgFirstAnswers(pool, 'judging_answer')
  const key = keyOf()
  const slow = { ...key, token: await claimOf(answers, key, { at: at(-10), until: at(-5) }) }
  const next = { ...key, token: await claimOf(answers, key, { at: at(0), until: at(60_000) }) }
  await answers.renew(slow, at(-5))
  await answers.keep(slow, { digest: 'slow', answer: 1, expiresAt: at(60_000) })
  await answers.release(slow)
  expect(await answers.claim(key, { at: at(0), until: at(60_000) })).toEqual({ kind: 'running' })
  await answers.renew(next, at(120_000))
  expect(await answers.claim(key, { at: at(90_000), until: at(180_000) })).toEqual({ kind: 'running' })
})

it('stores an answer whose claim was swept', async () => {
  const answers = createPgFirstAnswers(pool, 'judging_answer')
  const key = keyOf()
  const token = await claimOf(answers, key, { at: at(-10), until: at(-5) })
  await sweepAnswers(pool, 'judging_answer')
  await answers.keep({ ...key, token }, { digest: 'd', answer: 1, expiresAt: at(60_000) })
  expect(await answers.claim(key, { at: at(0), until: at(1) })).toEqual({ kind: 'answered', digest: 'd', answer: 1 })
})
