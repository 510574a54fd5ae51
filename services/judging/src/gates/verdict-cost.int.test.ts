import { addOnlineJudgement } from '../calibration/evidence.fixture.ts'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'

let app: JudgingApp
let id: string
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())
beforeEach(async () => {
  id = await app.addCriterion()
})

describe('what a verdict costs', () => {
  const cost = async (judge = id) =>
    (await app.request('get', `/internal/judging/gate-judges/${judge}`)).body.verdict_cost
  const judged = async (costNano: number, count: number, failure: string | null = null) => {
    const judgement = { criterionId: criterionUuid(id), at: app.clock.now(), costNano, source: 'online', failure }
    for (let index = 0; index < count; index += 1) await addOnlineJudgement(app, judgement)
  }

  it('follows from the price of the model before there are verdicts', async () => {
    const { usd, from } = await cost()
    expect(from).toBe('list_price')
    // About 1,600 tokens at 2.50 dollars, and 200 at 10 dollars a million.
    expect(usd).toBeGreaterThan(0.005)
    expect(usd).toBeLessThan(0.007)
    const runs = await app.addCriterion({ unit: 'trace' })
    expect((await cost(runs)).usd).toBeGreaterThan(3 * usd)
  })

  it('is not known when the model is gone, which keeps no gate from its judge', async () => {
    await app.operator.query(`UPDATE criterion SET judge_model = 'sim/gone' WHERE id = $1`, [criterionUuid(id)])
    const { status, body } = await app.request('get', `/internal/judging/gate-judges/${id}`)
    expect([status, body.verdict_cost]).toEqual([200, null])
  })

  it('is the mean of the newest verdicts, which pay for those without one', async () => {
    await judged(3_000_000, 6)
    await judged(3_000_000, 2, 'unparseable')
    expect(await cost()).toEqual({ usd: 0.004, from: 'verdicts' })
    app.clock.advance(1_000)
    await judged(1_000_000, 200)
    expect(await cost()).toEqual({ usd: 0.001, from: 'verdicts' })
  })
})
