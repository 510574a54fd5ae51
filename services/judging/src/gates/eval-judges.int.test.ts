import { randomUUID } from 'node:crypto'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'

let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())

it('notes that an eval was created with a judge, in its own workspace only', async () => {
  const id = await app.addCriterion()
  const note = (by?: string) => app.request('post', '/internal/judging/eval-judges', { criterion_id: id }, by)
  expect((await note(randomUUID())).status).toBe(404)
  expect((await note()).body).toEqual({ noted: true })
  const { rows } = await app.operator.query('SELECT eval_used_at FROM criterion WHERE id = $1', [criterionUuid(id)])
  expect(rows).toEqual([{ eval_used_at: app.clock.now() }])
})
