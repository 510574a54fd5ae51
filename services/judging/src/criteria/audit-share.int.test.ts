import { type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'

let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())

const minimal = { name: 'Polite', judge_prompt: 'Fail an answer that is rude.', judge_model: 'sim/judge' }
const hourMs = 3_600_000

async function stored() {
  const { rows } = await app.operator.query<{ events: number; bytes: number }>(
    `SELECT count(*)::int AS events, sum(octet_length(before) + octet_length(after))::int AS bytes FROM criterion_event`,
  )
  return rows[0] ?? { events: 0, bytes: 0 }
}

it('adds at most 20 MiB in 24 hours to the audit, refuses more and changes nothing then', async () => {
  const { body } = await app.request('post', '/v1/criteria', minimal)
  const path = `/v1/criteria/${body.id}`
  const longest = (letter: string) => ({ judge_prompt: letter.repeat(32_768) })
  let tries = 0
  let refused: Awaited<ReturnType<JudgingApp['request']>> | null = null
  for (; refused === null && tries < 400; tries++) {
    if (tries === 150) app.clock.advance(2 * hourMs)
    const answer = await app.request('patch', path, longest(tries % 2 ? 'a' : 'b'))
    if (answer.status !== 200) refused = answer
  }
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
  // What was written in the first hour counts for 24 hours more, of which two have passed.
  const retryAfter = Number(refused?.headers['retry-after'])
  expect(retryAfter).toBeGreaterThan(21 * 3_600)
  expect(retryAfter).toBeLessThanOrEqual(25 * 3_600 - 2 * 3_600)
  const { bytes, events } = await stored()
  expect(bytes).toBeGreaterThan(19 * 1_048_576)
  expect(bytes).toBeLessThanOrEqual(20 * 1_048_576)

  const before = (await app.request('get', path)).body
  expect((await app.request('patch', path, longest('c'))).status).toBe(429)
  expect((await app.request('post', '/v1/criteria', { ...minimal, ...longest('c') })).status).toBe(429)
  expect((await app.request('get', path)).body).toEqual(before)
  // A change that changes nothing is none.
  expect((await app.request('patch', path, { judge_prompt: before.judge_prompt })).status).toBe(200)
  expect((await stored()).events).toBe(events)

  app.clock.advance(retryAfter * 1_000)
  expect((await app.request('patch', path, longest('d'))).status).toBe(200)
})

it('lets a workspace delete its judges whatever it changed', async () => {
  const { body } = await app.request('post', '/v1/criteria', { ...minimal, name: 'Other' })
  const path = `/v1/criteria/${body.id}`
  await app.operator.query('UPDATE audit_bytes SET bytes = bytes + 20 * 1048576')
  expect((await app.request('patch', path, { name: 'Third' })).status).toBe(429)
  expect((await app.request('delete', path)).status).toBe(200)
})

it('counts changes at the same time one after the other', async () => {
  await app.operator.query('UPDATE audit_bytes SET bytes = 0')
  await app.operator.query(`INSERT INTO audit_bytes
    SELECT workspace_id, min(hour) - interval '1 hour', 20 * 1048576 - 110000 FROM audit_bytes GROUP BY workspace_id`)
  const prompt = { judge_prompt: 'e'.repeat(32_768) }
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => app.request('post', '/v1/criteria', { ...minimal, ...prompt, name: `j${n}` })),
  )
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 429, 429, 429])
})
