import type { AliasSettings } from '@ratchet/contracts/aliases'
import { type Hour, passHour } from './pass-hour.fixture.ts'
import { type WatchedAlias, watchedAlias } from './watched-alias.fixture.ts'

let own: WatchedAlias
beforeAll(async () => {
  own = await watchedAlias()
})
beforeEach(() => own.clear())
afterAll(() => own.drop())

const auto = { gate_mode: 'auto', canary_percent: 50 } as const satisfies Partial<AliasSettings>

const pass = (hour: Hour) => passHour(own, hour)

const equal = { answers: 150, targetFlawed: 10, canaryFlawed: 10 }

it('does not promote on verdicts, nor on grades of answers that a person picked', async () => {
  const before = own.deps.rules
  Object.assign(own.deps, { rules: { ...before, promoteAfterMs: 0 } })
  await own.put(auto)
  let alias = await own.read()
  for (let hour = 0; hour < 12; hour += 1) alias = await pass(equal)
  expect(alias.gate.state).toBe('healthy')
  expect(alias.gate.reason).toContain('graded 0 answers of the canary')
  own.gradeOf = () => 'pass'
  own.probabilityOf = () => null
  for (let turn = 0; turn < 4; turn += 1) await own.evaluate()
  expect((await own.read()).gate.state).toBe('healthy')
  const { arms } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(arms.canary).toMatchObject({ gradedPasses: { drawn: 0 } })
  expect(arms.canary.graded).toBeGreaterThan(1_000)
  own.probabilityOf = () => 0.5
  for (let turn = 0; turn < 4; turn += 1) await own.evaluate()
  expect((await own.read()).gate.state).toBe('promoted')
  Object.assign(own.deps, { rules: before })
}, 60_000)

it('counts grades by the probability of their draw, so that those of a rare draw weigh more', async () => {
  await own.put(auto)
  await pass({ answers: 40, targetFlawed: 100, canaryFlawed: 100 })
  const samples = await own.deps.canary.gradableSamples(await own.read(), 100)
  const rare = new Set(samples.slice(0, 20))
  own.gradeOf = (logId) => (rare.has(logId) ? 'fail' : 'pass')
  own.probabilityOf = (logId) => (rare.has(logId) ? 0.1 : 1)
  await own.evaluate()
  const { arms } = await own.deps.canary.counts(await own.read(), own.clock.now())
  const { drawn, humanFails } = arms.target.gradedPasses
  const rareOnes = samples.filter((logId) => rare.has(logId)).length / 2
  expect(drawn).toBeLessThan(39)
  expect(humanFails / drawn).toBeGreaterThan(rareOnes / 40)
})

it('counts verdicts by segment', async () => {
  await own.put(auto)
  own.clock.advance(10_000)
  own.answer('target', { segment: 'seg_one' })
  own.answer('canary', { segment: 'seg_one', verdict: 'fail' })
  own.answer('canary', { segment: 'seg_two' })
  own.clock.advance(60_000)
  await own.evaluate()
  await own.evaluate()
  const { segments } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(segments).toEqual([
    { segment: 'seg_one', target: { scored: 1, fails: 0 }, canary: { scored: 1, fails: 1 } },
    { segment: 'seg_two', target: { scored: 0, fails: 0 }, canary: { scored: 1, fails: 0 } },
  ])
})

it('draws answers to grade from each arm and verdict, those that a person picked too, and none twice', async () => {
  await own.put(auto)
  await pass({ answers: 20, targetFlawed: 4, canaryFlawed: 10 })
  const drawable = async () => own.deps.canary.drawable(await own.read(), 3)
  const strata = await drawable()
  expect(strata.map(({ logIds: _, ...stratum }) => stratum)).toEqual([
    { arm: 'target', verdict: 'fail', members: 5, drawn: 0 },
    { arm: 'target', verdict: 'pass', members: 15, drawn: 0 },
    { arm: 'canary', verdict: 'fail', members: 2, drawn: 0 },
    { arm: 'canary', verdict: 'pass', members: 18, drawn: 0 },
  ])
  expect(strata.map(({ logIds }) => logIds.length)).toEqual([3, 3, 2, 3])
  expect(await drawable()).toEqual(strata)
  const [picked, drawn] = [strata[1]?.logIds[0], strata[1]?.logIds[1]]
  own.gradeOf = (logId) => (logId === picked || logId === drawn ? 'pass' : null)
  own.probabilityOf = (logId) => (logId === drawn ? 0.2 : null)
  await own.evaluate()
  const [, next] = await drawable()
  expect(next).toMatchObject({ members: 15, drawn: 1 })
  expect(next?.logIds[0]).toBe(picked)
  expect(next?.logIds).not.toContain(drawn)
})

it('reads the grades of all samples by turns, and again when they change', async () => {
  await own.put(auto)
  await pass({ answers: 15, targetFlawed: 10, canaryFlawed: 10 })
  const [first, second] = await Promise.all([own.deps.canary.gradableSamples(await own.read(), 20), own.read()])
  own.clock.advance(1_000)
  const ungraded = first.map((logId) => ({ logId, grade: null, probability: null }))
  await own.deps.canary.saveGrades(second, ungraded, own.clock.now())
  const all = await own.deps.canary.gradableSamples(second, 100)
  expect([first.length, all.length]).toEqual([20, 30])
  expect(all.slice(0, 10).some((logId) => first.includes(logId))).toBe(false)
  own.gradeOf = () => 'fail'
  await own.evaluate()
  own.gradeOf = () => 'pass'
  await own.evaluate()
  const { arms } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(arms.target).toMatchObject({ graded: 15, gradedPasses: { humanFails: 0 } })
})
