import { uuidOf } from '@ratchet/contracts/public-id'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser } from 'playwright-core'
import { openBrowser } from './browser/open-browser.ts'
import {
  gradeBatchByKeys,
  gradeByKey,
  gradeByScript,
  importExchanges,
  isInOrder,
  letPass,
  openRound,
  quantile,
  type RoundPerson,
  shownItem,
  truthOf,
  visitRounds,
} from './browser/round-steps.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, createJudge, type Json } from './judged-traffic.ts'
import { exportRound, rateOf } from './people/exported-round.ts'
import { choose } from './workspace-with.ts'

/* Rounds of several people and of many grades, against a real fleet. An answer is wrong if it contains `(flawed)`. */

let fleet: Fleet
let browser: Browser
let pool: Pool
let api: Api
let owner: RoundPerson
let ann: RoundPerson
let bob: RoundPerson

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, judges: true }), openBrowser()])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  api = apiOf(fleet, fleet.workspace)
  owner = await visitRounds(fleet, browser, fleet.workspace)
  ann = await visitGrader()
  bob = await visitGrader()
}, 300_000)
afterAll(async () => {
  await pool?.end()
  await browser?.close()
  await fleet?.stop()
}, 180_000)

async function visitGrader(): Promise<RoundPerson> {
  const { userId } = await fleet.workspace.addMember('member')
  await pool.query('UPDATE membership SET may_grade = true WHERE user_id = $1', [userId])
  return visitRounds(fleet, browser, { userId, slug: fleet.workspace.slug })
}

const at = (path: string) => `/w/${fleet.workspace.slug}/review${path}`
const rowsOf = async (text: string, values: readonly unknown[]): Promise<Json[]> =>
  (await pool.query(text, [...values])).rows
const uuidOfRound = (id: string) => uuidOf('round', id) ?? ''
const gradeTruly = { choose: (text: string) => ({ label: truthOf(text) }) } as const

describe('two people in one round', () => {
  let judge: Json
  let round: string
  beforeAll(async () => {
    await importExchanges(api, { tag: 'pair', count: 60 })
    judge = await createJudge(api, 'sim/judge-0.9-0.95', { name: 'Pair', population: 'pair' })
    round = await openRound(owner, { criterion_id: judge.id, double_percent: 15 })
  }, 180_000)

  it('hold no item together but the doubled ones', async () => {
    await ann.page.clock.install()
    await Promise.all([ann, bob].map(({ page }) => page.goto(at(`/${round}`))))
    await Promise.all([ann, bob].map(({ page }) => gradeBatchByKeys(page)))
    const items = await rowsOf(
      `SELECT log_id, count(DISTINCT grader_id)::int AS people, array_agg(kind ORDER BY kind) AS kinds FROM review_item
       WHERE round_id = $1 GROUP BY log_id`,
      [uuidOfRound(round)],
    )
    expect(items.length).toBeGreaterThanOrEqual(20)
    const alone = items.filter(({ people }) => people === 1)
    expect(alone.every(({ kinds }) => kinds.join() === 'new')).toBe(true)
    const shared = items.filter(({ people }) => people > 1)
    expect(shared.every(({ people, kinds }) => people === 2 && kinds.join() === 'double,new')).toBe(true)
    expect(shared.length / items.length).toBeLessThan(0.4)
  }, 180_000)

  it('keep what they hold by the heartbeat of the page, and lose it ten minutes after they left', async () => {
    await gradeByScript(bob, round, gradeTruly)
    const held = () =>
      rowsOf(
        `SELECT c.leased_until > now() + interval '9 minutes' AS renewed, count(*)::int AS items FROM review_claim c
         JOIN review_item i ON i.claim_id = c.id AND i.kind = 'new'
         WHERE c.round_id = $1 AND c.grader_id = $2 AND NOT EXISTS (SELECT 1 FROM review_grade g WHERE g.item_id = i.id)
         GROUP BY 1`,
        [uuidOfRound(round), ann.userId],
      )
    const [{ items: open }] = await held()
    expect(open).toBeGreaterThan(0)
    for (let minutes = 5; minutes <= 15; minutes += 5) {
      await letPass(pool, 5, { round, of: ann })
      await ann.page.clock.fastForward(5 * 60_000)
      await eventually(async () => ((await held()).every(({ renewed }) => renewed) ? true : null), { withinMs: 45_000 })
      expect(await bob.send('POST', `/rounds/${round}/claim`, {})).toMatchObject({ id: null })
    }
    await ann.page.goto('about:blank')
    await letPass(pool, 11, { round, of: ann })
    const graded = async () => (await owner.send('GET', `/rounds/${round}`)).graded
    expect(await graded()).toBeLessThan(60)
    await gradeByScript(bob, round, gradeTruly)
    expect(await graded()).toBe(60)
  }, 180_000)
})

describe('people who disagree', () => {
  it('are settled by a third person, and agree by the same figures everywhere', async () => {
    const { page } = owner
    await importExchanges(api, { tag: 'disputed', count: 20 })
    const judge = await createJudge(api, 'sim/judge-1-1', { name: 'Disputed', population: 'disputed' })
    const round = await openRound(owner, { criterion_id: judge.id, double_percent: 100 })
    const wrong = new Set(['thing 1.', 'thing 2.', 'thing 3.', 'thing 5.'].map((end) => ` ${end}`))
    const isWrong = (text: string) => [...wrong].some((end) => text.endsWith(end))
    const opposite = { pass: 'fail', fail: 'pass' } as const
    await gradeByScript(ann, round, { choose: (text) => ({ label: truthOf(text), rationale: 'It reads like this.' }) })
    await gradeByScript(bob, round, {
      choose: (text) => ({ label: isWrong(text) ? opposite[truthOf(text)] : truthOf(text), rationale: 'I see it so.' }),
    })
    await page.goto(at(`/adjudicate?criterion_id=${judge.id}`))
    for (let left = 4; left > 0; left -= 1) {
      await page.getByText(`${left} item${left === 1 ? '' : 's'} to decide`).waitFor()
      await page.getByText(/^It is .*thing \d/).waitFor()
      const text = (await page.locator('main').textContent()) ?? ''
      expect(text).toContain('It reads like this.')
      expect(text).toContain('I see it so.')
      for (const person of ['Some member', 'Some owner', ann.userId, bob.userId]) expect(text).not.toContain(person)
      if (left === 4) await isInOrder(owner)
      await page.keyboard.press(text.includes('(flawed)') ? 'f' : 'p')
    }
    await page.getByRole('heading', { name: 'Nothing to decide' }).waitFor()
    const labels = await rowsOf(
      `SELECT item_key, count(*) FILTER (WHERE label = 'fail') AS fails, count(*) AS grades FROM label
       WHERE criterion_id = $1 AND superseded_by IS NULL GROUP BY 1`,
      [uuidOf('criterion', judge.id)],
    )
    expect(labels.map(({ fails, grades }) => [fails, grades].join('/')).toSorted()).toEqual(
      [...['0/2', '1/3', '1/3', '1/3', '2/3'], ...Array(3).fill('2/2'), ...Array(12).fill('0/2')].toSorted(),
    )
    const agreement = (await api('GET', `/labels/agreement?criterion_id=${judge.id}`)).json
    const shown = await owner.send('GET', `/graders?criterion_id=${judge.id}`)
    for (const figure of ['pairs_n', 'raw_agreement', 'cohen_kappa', 'fleiss_kappa'] as const) {
      expect([figure, shown[figure]]).toEqual([figure, agreement[figure]])
    }
    await page.goto(at(`/graders?criterion_id=${judge.id}`))
    await page.getByText("Cohen's kappa").first().waitFor()
    const facts = (await page.locator('main').textContent()) ?? ''
    expect(facts).toContain(`Cohen's kappa${agreement.cohen_kappa.toFixed(2)}`)
    await isInOrder(owner)
  }, 180_000)
})

describe('a round of 400 exchanges', () => {
  let judge: Json
  let round: string
  beforeAll(async () => {
    await importExchanges(api, { tag: 'large', count: 400 })
    judge = await createJudge(api, 'sim/judge-0.97-0.98', { name: 'Large', population: 'large' })
    round = await openRound(owner, { criterion_id: judge.id })
  }, 300_000)

  it('shows the estimate that the exported rows give', async () => {
    await gradeByScript(owner, round, { ...gradeTruly, count: 100 })
    const rows = await exportRound(pool, round, judge.id)
    expect([rows.length, rows.filter(({ human }) => human !== null).length]).toEqual([400, 100])
    const { evidence } = await owner.send('GET', `/rounds/${round}`)
    const seed = `${uuidOfRound(round)} 100`
    const [tpr, tnr] = [rateOf(rows, 'fail', seed), rateOf(rows, 'pass', seed)]
    expect(evidence.tpr).toBeCloseTo(tpr.rate, 9)
    expect(evidence.tnr).toBeCloseTo(tnr.rate, 9)
    expect(evidence.tpr_ci[0]).toBeCloseTo(tpr.interval.low, 9)
    expect(evidence.tpr_ci[1]).toBeCloseTo(tpr.interval.high, 9)
    expect(evidence.tpr_ci[0]).toBeLessThanOrEqual(0.97)
    expect(evidence.tpr_ci[1]).toBeGreaterThanOrEqual(0.97)
    const { page } = owner
    await page.goto(at(`?criterion_id=${judge.id}`))
    const shown = (value: number) => (value > 0.99 ? value.toFixed(3) : value.toFixed(2)).replace(/^1\.000$/, '1')
    const [low, high] = evidence.tpr_ci.map(shown)
    const sentence = `Fails found ${shown(evidence.tpr)}, 95 % interval from ${low} to ${high}`
    await page.getByRole('img', { name: sentence }).waitFor()
    await isInOrder(owner)
  }, 300_000)
})

describe('a round of 60', () => {
  let judge: Json
  let round: string
  beforeAll(async () => {
    await importExchanges(api, { tag: 'keys', count: 60 })
    await importExchanges(api, { tag: 'playground', count: 7 })
    judge = await createJudge(api, 'sim/judge-0.95-0.95', { name: 'Keys', population: 'keys' })
    round = await openRound(owner, { criterion_id: judge.id })
  }, 180_000)

  it('shows the next item within 50 ms of the key, for 30 grades without a pointer', async () => {
    const { page } = owner
    await page.goto(at(`/${round}`))
    await page.evaluate(
      `for (const type of ['pointerdown', 'click']) addEventListener(type, () => (window.pointed = true), true)`,
    )
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const cpuMs = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000
    }
    await shownItem(page).waitFor()
    let spent = 0
    for (let batch = 0; batch < 3; batch += 1) {
      const before = await cpuMs()
      for (let item = 0; item < 10; item += 1) await gradeByKey(page)
      spent += (await cpuMs()) - before
      await page.keyboard.press('Enter')
      await page
        .getByText(/judge:/)
        .first()
        .waitFor()
      await page.keyboard.press('Enter')
    }
    const measured = (await page.evaluate(
      `performance.getEntriesByName('grade-to-next').map(({ duration }) => duration)`,
    )) as number[]
    const perGrade = spent / 30
    const text = `p50 ${quantile(measured, 0.5).toFixed(1)} ms, p95 ${quantile(measured, 0.95).toFixed(1)} ms`
    process.stderr.write(`key to next item, 30 grades: ${text}; ${perGrade.toFixed(1)} ms of processor time a grade\n`)
    expect([measured.length, await page.evaluate('window.pointed === true')]).toEqual([30, false])
    // Time on a shared machine says little; the work for a key must fit into the budget.
    expect(perGrade).toBeLessThan(50)
    const labels = await rowsOf('SELECT item_key, blind FROM label WHERE criterion_id = $1', [
      uuidOf('criterion', judge.id),
    ])
    expect([labels.length, new Set(labels.map(({ item_key }) => item_key)).size]).toEqual([30, 30])
    expect(labels.every(({ blind }) => blind)).toBe(true)
  }, 180_000)

  it('leaves out the tags that it is told to', async () => {
    const all = await createJudge(api, 'sim/judge-1-1', { name: 'All traffic' })
    const matched = async (filters: object) =>
      (await owner.send('POST', '/rounds', { criterion_id: all.id, filters, dry_run: true })).matched
    expect((await matched({})) - (await matched({ exclude_tags: ['playground'] }))).toBe(7)
  })

  it('names its pictures, keeps their states apart without colours, and moves nothing', async () => {
    const { page } = owner
    await page.goto(at(`/${round}`))
    await gradeBatchByKeys(page)
    await page.keyboard.press('k')
    await page.goto(at(`?criterion_id=${judge.id}`))
    const picture = page.getByRole('img', {
      name: /^Fails found [\d.]+, 95 % interval from [\d.]+ to [\d.]+; bar 0\.90: [a-z ]+/,
    })
    await picture.first().waitFor()
    await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' })
    expect(
      await page.evaluate(`document.getAnimations().filter(({ playState }) => playState === 'running').length`),
    ).toBe(0)
    expect(await page.getByRole('cell', { name: 'open', exact: true }).locator('svg').count()).toBeGreaterThan(0)
    expect(await owner.accessibilityProblems()).toEqual([])
    await page.emulateMedia({ forcedColors: 'none' })
  }, 180_000)
})
