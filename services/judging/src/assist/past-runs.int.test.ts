import { randomUUID } from 'node:crypto'
import { listImprovements, listSuggestions } from '@ratchet/contracts/session-criteria'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import type { RunKind } from '../runs/judge-run.ts'
import { createPgRuns } from '../runs/pg-runs.ts'

let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app.stop())

async function addRun(kind: RunKind, judge: string | null, request: object): Promise<string> {
  const { id } = await createPgRuns(app.pool).create({
    id: randomUUID(),
    workspaceId: app.workspaceId,
    criterionId: judge === null ? null : criterionUuid(judge),
    kind,
    instrument: 1,
    judgeModel: 'sim/judge',
    promptSha256: 'x',
    request,
    maxCostNano: null,
    createdBy: randomUUID(),
    createdAt: app.clock.now(),
  })
  app.clock.advance(1_000)
  return id.replaceAll('-', '')
}

const pageOf = async (path: string, by?: string) => (await app.request('get', path, undefined, by)).body
const idsOf = ({ data }: { readonly data: readonly { readonly id: string }[] }) =>
  data.map(({ id }) => id.slice(id.indexOf('_') + 1).replaceAll('-', ''))

it('lists the improvements of one judge, newest first, also those that run', async () => {
  const judge = await app.addCriterion()
  const other = await app.addCriterion()
  const request = { maxIterations: 3, model: 'sim/judge' }
  const first = await addRun('improvement', judge, request)
  const second = await addRun('improvement', judge, request)
  await addRun('improvement', other, request)
  const page = await pageOf(`/session/criteria/${judge}/improvements`)
  expect(() => listImprovements.reply.parse(page)).not.toThrow()
  expect([page.total, idsOf(page)]).toEqual([2, [second, first]])
  expect(page.data[0]).toMatchObject({ status: 'PENDING', criterion_id: judge })
  const one = await pageOf(`/session/criteria/${judge}/improvements?limit=1&offset=1`)
  expect([one.has_more, idsOf(one)]).toEqual([false, [first]])
  const foreign = await app.request('get', `/session/criteria/${judge}/improvements`, undefined, randomUUID())
  expect(foreign.status).toBe(404)
})

it('lists what was suggested in a workspace, newest first', async () => {
  const judge = await app.addCriterion()
  await addRun('improvement', judge, { maxIterations: 3, model: 'sim/judge' })
  const first = await addRun('suggestion', null, { filters: {}, maxSuggestions: 3 })
  const second = await addRun('suggestion', null, { filters: {}, maxSuggestions: 3 })
  const page = await pageOf('/session/suggestions')
  expect(() => listSuggestions.reply.parse(page)).not.toThrow()
  expect([page.total, idsOf(page)]).toEqual([2, [second, first]])
  expect(await pageOf('/session/suggestions', randomUUID())).toMatchObject({ total: 0, data: [] })
})
