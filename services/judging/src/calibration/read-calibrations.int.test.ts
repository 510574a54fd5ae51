import type { Verdict } from '@ratchet/contracts/criteria'
import { type Answer, criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { agreeing, answered, type CalibrationWorker, calibrationWorker } from '../runs/judge-all.fixture.ts'
import { addCalibration } from './evidence.fixture.ts'
import { addGrade, type ReportedGrade } from './grades.fixture.ts'

let app: JudgingApp
let worker: CalibrationWorker
beforeAll(async () => {
  app = await startJudgingApp()
  worker = calibrationWorker(app.pool, app.clock.now)
})
afterAll(() => app?.stop())
beforeEach(() => app.clock.advance(60_000))

const errorOf = ({ status, body }: Answer) => [status, body.error.code, body.error.param]
const calibrate = (id: string) => app.request('post', `/v1/criteria/${id}/calibrate`)
const read = async (id: string, calibration: string) =>
  (await app.request('get', `/v1/criteria/${id}/calibrations/${calibration}`)).body

function grade(id: string, label: Verdict, more: Partial<ReportedGrade> = {}) {
  const { workspaceId } = app
  return addGrade(app.operator, { workspaceId, criterionId: criterionUuid(id), label, at: app.clock.now(), ...more })
}

async function gradeMany(id: string, counts: { fail: number; pass: number }) {
  for (const label of ['fail', 'pass'] as const) {
    for (let index = 0; index < counts[label]; index += 1) await grade(id, label)
  }
}

describe('reading calibrations', () => {
  it('lists them by page, newest first', async () => {
    const id = await app.addCriterion()
    await gradeMany(id, { fail: 1, pass: 1 })
    const ids: string[] = []
    for (let index = 0; index < 3; index += 1) {
      app.clock.advance(1_000)
      ids.unshift((await calibrate(id)).body.id)
      await worker.finish(agreeing)
    }
    const page = (await app.request('get', `/v1/criteria/${id}/calibrations?limit=2&offset=1`)).body
    expect(page.data.map((each: { id: string }) => each.id)).toEqual(ids.slice(1))
    expect(page).toMatchObject({ object: 'list', total: 3, limit: 2, offset: 1, has_more: false })
    expect(page.data[0]).toEqual(await read(id, ids[1] ?? ''))
  })

  it('shows the rows of each cell with the graded exchange', async () => {
    const id = await app.addCriterion()
    const missed = await grade(id, 'fail', { answer: 'missed' })
    await gradeMany(id, { fail: 24, pass: 25 })
    const { body } = await calibrate(id)
    const unread: string[] = []
    await worker.finish(async ({ labelId, human }) => {
      if (labelId === missed) return answered({ verdict: 'pass', explanation: 'It is kind.' })
      if (unread.length > 0 || human === 'fail') return answered({ verdict: human })
      unread.push(labelId ?? '')
      return answered({ failure: 'unparseable', explanation: null })
    })
    const rows = async (query: string) =>
      (await app.request('get', `/v1/criteria/${id}/calibrations/${body.id}/rows${query}`)).body
    expect(await rows('?cell=fn')).toEqual({
      object: 'list',
      total: 1,
      limit: 50,
      offset: 0,
      has_more: false,
      data: [
        {
          label_id: `lbl_${missed.replaceAll('-', '')}`,
          human: 'fail',
          judge: 'pass',
          weight: 1,
          explanation: 'It is kind.',
          messages: [{ role: 'user', content: 'Hello?' }],
          response: { role: 'assistant', content: 'missed' },
        },
      ],
    })
    const totals = await Promise.all(['tp', 'fp', 'tn'].map(async (cell) => (await rows(`?cell=${cell}`)).total))
    expect(totals).toEqual([24, 0, 24])
    const [first, second] = [await rows('?limit=30'), await rows('?limit=30&offset=30')]
    expect([first.has_more, first.data.length, second.has_more, second.data.length]).toEqual([true, 30, false, 20])
    const all = [...first.data, ...second.data]
    expect(new Set(all.map((row: { label_id: string }) => row.label_id)).size).toBe(50)
    expect(all.filter((row: { judge: Verdict | null }) => row.judge === null)).toHaveLength(1)
    expect(errorOf(await app.request('get', `/v1/criteria/${id}/calibrations/${body.id}/rows?cell=xx`))).toEqual([
      ...[400, 'invalid_request', 'cell'],
    ])
  })

  it('ends a page of large rows early', async () => {
    const id = await app.addCriterion()
    const answer = 'x'.repeat(6 * 1024 * 1024)
    for (let index = 0; index < 4; index += 1) await grade(id, 'fail', { answer: `${index}${answer}` })
    const { body } = await calibrate(id)
    await worker.finish(agreeing)
    const path = `/v1/criteria/${id}/calibrations/${body.id}/rows`
    const first = (await app.request('get', path)).body
    expect([first.data.length, first.total, first.has_more]).toEqual([3, 4, true])
    const rest = (await app.request('get', `${path}?offset=3`)).body
    expect([rest.data.length, rest.has_more]).toEqual([1, false])
  })

  it('does not find the calibration of another judge', async () => {
    const [id, other] = [await app.addCriterion(), await app.addCriterion()]
    const run = `cal_${(await addCalibration(app, { criterionId: criterionUuid(id) })).replaceAll('-', '')}`
    const absent = `cal_${'0'.repeat(32)}`
    for (const suffix of ['', '/rows']) {
      const [theirs, unknown] = await Promise.all([
        app.request('get', `/v1/criteria/${other}/calibrations/${run}${suffix}`),
        app.request('get', `/v1/criteria/${other}/calibrations/${absent}${suffix}`),
      ])
      expect(errorOf(theirs)).toEqual([404, 'not_found', 'calibration_id'])
      expect(theirs.text).toBe(unknown.text)
    }
  })
})
