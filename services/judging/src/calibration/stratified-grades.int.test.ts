import type { Verdict } from '@ratchet/contracts/criteria'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { answered, type CalibrationWorker, calibrationWorker } from '../runs/judge-all.fixture.ts'
import { addGrade } from './grades.fixture.ts'

let app: JudgingApp
let worker: CalibrationWorker
beforeAll(async () => {
  app = await startJudgingApp()
  worker = calibrationWorker(app.pool, app.clock.now)
})
afterAll(() => app?.stop())

/** Of 5,000 judged exchanges 600 failed, and people graded 200 that failed and 200 that passed. */
const drawn = { fail: 1 / 3, pass: 1 / 22 }

describe('D2: trust in a judge whose grades were drawn by its verdicts', () => {
  it('is not proven by one missed fail among 200 that the judge passed', async () => {
    const id = await app.addCriterion()
    const grade = async (judged: Verdict, label: Verdict, count: number) => {
      const own = { workspaceId: app.workspaceId, criterionId: criterionUuid(id), at: app.clock.now() }
      for (let index = 0; index < count; index += 1) {
        await addGrade(app.operator, { ...own, label, probability: drawn[judged] })
      }
    }
    await grade('fail', 'fail', 180)
    await grade('fail', 'pass', 20)
    await grade('pass', 'fail', 1)
    await grade('pass', 'pass', 199)
    const started = await app.request('post', `/v1/criteria/${id}/calibrate`)
    await worker.finish(async ({ samplingProbability }) =>
      answered({ verdict: (samplingProbability ?? 0) > 0.1 ? 'fail' : 'pass' }),
    )
    const done = (await app.request('get', `/v1/criteria/${id}/calibrations/${started.body.id}`)).body
    expect(done).toMatchObject({ status: 'DONE', sampling: 'weighted', confusion: { tp: 180, fn: 1, fp: 20, tn: 199 } })
    expect(done.tpr).toBeCloseTo((180 * 3) / (180 * 3 + 22), 6)
    // With Kish's number of grades the lower end was above 0.9, and the judge trustworthy.
    expect(done.tpr_ci[0]).toBeLessThan(0.85)
    expect(done.trust).not.toBe('trustworthy')
    const criterion = (await app.request('get', `/v1/criteria/${id}`)).body
    expect(criterion).toMatchObject({ trust: done.trust, tpr_ci: done.tpr_ci, can_act: false })
  })
})
