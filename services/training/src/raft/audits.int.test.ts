import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { anything } from '@ratchet/testing/routes-of'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { gradeRoutes } from '../audits/routes.ts'
import { createRaftRewards } from './reward-facts.ts'
import type { NewRound } from './round.ts'
import { type RoundRun, roundRun } from './round-run.fixture.ts'
import { type RoundRouteDeps, raftRoutes } from './routes.ts'

/* People grade what a round trained on. */

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

let run: RoundRun
let app: ReturnType<typeof testApp>
let round: NewRound
const [first, second] = [randomUUID(), randomUUID()]

beforeAll(async () => {
  run = await roundRun()
  app = testApp({
    audience: 'training',
    now: () => new Date(),
    routes: (router) => {
      raftRoutes(router, { ...anything<RoundRouteDeps>(), rounds: run.rounds, audits: run.audits })
      gradeRoutes(router, { gradeStores: [{ grade: async () => null }, run.audits], newId: randomUUID })
    },
  })
  round = await run.create()
})
afterAll(() => run.drop())

const by = (userId: string, workspaceId = round.workspaceId) => ({
  workspaceId,
  userId,
  role: 'owner' as const,
  keyId: randomUUID(),
})

async function audit(userId = first, workspaceId?: string): Promise<{ readonly status: number; readonly body: Json }> {
  const path = `/v1/raft/rounds/${publicId('raftRound', round.id)}/audit`
  return request(app.app)
    .get(path)
    .set(app.headersFor('get', path, by(userId, workspaceId)))
}

async function grade(rollout: string, verdict: 'pass' | 'fail', userId = first, workspaceId?: string): Promise<Json> {
  const path = '/internal/grpo/grades'
  const body = { rollout_id: rollout, verdict, rationale: null, grader: userId }
  return request(app.app)
    .post(path)
    .set(app.headersFor('post', path, by(userId, workspaceId)))
    .send(body)
}

const factsOf = () =>
  createRaftRewards(run).factsOf({
    workspaceId: round.workspaceId,
    producedBy: { type: 'raft', id: round.id },
    step: 1,
  })

it('shows thirty answers of different prompts that the round trained on, without a verdict', async () => {
  expect((await audit()).body).toMatchObject({ graded: 0, false_pass: 0, upper: null, data: [] })
  await run.drive(round)
  const { body } = await audit()
  expect(body.data).toHaveLength(30)
  const trained = new Set((run.datasets[0] ?? []).map((example) => JSON.stringify(example)))
  for (const { messages, completion } of body.data) {
    expect(trained).toContain(JSON.stringify({ messages: [...messages, { ...completion[0], role: 'assistant' }] }))
  }
  expect(new Set(body.data.map(({ messages }: Json) => messages[0].content)).size).toBe(30)
  expect(Object.keys(body.data[0]).sort()).toEqual(['completion', 'grade', 'messages', 'rollout_id'])
  expect((await audit(second)).body.data).toEqual(body.data)
  expect((await audit(first, randomUUID())).status).toBe(404)
})

it('keeps grades as the audit of its version, which shows each grader their own', async () => {
  expect((await factsOf())?.audit).toBeNull()
  const { body } = await audit()
  const [one, ...others] = body.data.map(({ rollout_id: id }: Json) => id)
  const graded = await grade(one, 'fail')
  expect(graded.body).toMatchObject({ superseded: false })
  expect(graded.body.label).toMatchObject({
    source: 'audit',
    rollout_id: one,
    criterion_id: null,
    blind: true,
    label: 'fail',
    grader_id: first,
    snapshot: { model: 'sim/base', messages: body.data[0].messages },
  })
  const afterOne = (await audit()).body
  expect(afterOne).toMatchObject({ graded: 1, false_pass: 1 })
  expect(afterOne.data.slice(0, 2)).toMatchObject([{ grade: 'fail' }, { grade: null }])
  expect((await audit(second)).body.data[0].grade).toBeNull()

  expect((await grade(one, 'pass')).body.superseded).toBe(true)
  expect((await audit()).body).toMatchObject({ graded: 1, false_pass: 0 })
  // One of two graders fails it.
  await grade(one, 'fail', second)
  for (const id of others) await grade(id, 'pass')
  const { graded: count, false_pass: failed, upper } = (await audit()).body
  expect({ count, failed }).toEqual({ count: 30, failed: 1 })
  expect(upper).toBeCloseTo(0.149, 3)
  expect((await factsOf())?.audit).toEqual({ graded: 30, false_pass: 1, upper })
})

it('takes no grade of what is in no audit, or of another workspace', async () => {
  const [{ rollout_id: id }] = (await audit()).body.data
  for (const answer of [await grade(id, 'pass', first, randomUUID()), await grade('roll_nonsense', 'pass')]) {
    expect([answer.status, answer.body.error.param]).toEqual([404, 'rollout_id'])
  }
  expect((await grade(publicId('rollout', randomUUID()), 'pass')).status).toBe(404)
})
