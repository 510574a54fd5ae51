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
  const found = await own.deps.canary.gradableSamples(await own.read(), 100)
  const samples = found.map(({ logId }) => logId)
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
    {
      segment: 'seg_one',
      place: expect.any(Number),
      isRolledBack: false,
      target: { scored: 1, fails: 0 },
      canary: { scored: 1, fails: 1 },
    },
    {
      segment: 'seg_two',
      place: expect.any(Number),
      isRolledBack: false,
      target: { scored: 0, fails: 0 },
      canary: { scored: 1, fails: 0 },
    },
  ])
})

it('draws answers to grade from each arm and verdict, those that a person picked too, and none twice', async () => {
  await own.put(auto)
  await pass({ answers: 20, targetFlawed: 4, canaryFlawed: 10 })
  const drawable = async () => own.deps.canary.drawable(await own.read(), 3)
  const strata = await drawable()
  expect(strata.map(({ samples: _, ...stratum }) => stratum)).toEqual([
    { arm: 'target', verdict: 'fail', members: 5, drawn: 0 },
    { arm: 'target', verdict: 'pass', members: 15, drawn: 0 },
    { arm: 'canary', verdict: 'fail', members: 2, drawn: 0 },
    { arm: 'canary', verdict: 'pass', members: 18, drawn: 0 },
  ])
  expect(strata.map(({ samples }) => samples.length)).toEqual([3, 3, 2, 3])
  expect(await drawable()).toEqual(strata)
  const [picked, drawn] = [strata[1]?.samples[0]?.logId, strata[1]?.samples[1]?.logId]
  own.gradeOf = (logId) => (logId === picked || logId === drawn ? 'pass' : null)
  own.probabilityOf = (logId) => (logId === drawn ? 0.2 : null)
  await own.evaluate()
  const [, next] = await drawable()
  expect(next).toMatchObject({ members: 15, drawn: 1 })
  expect(next?.samples[0]?.logId).toBe(picked)
  expect(next?.samples.map(({ logId }) => logId)).not.toContain(drawn)
})

it('reads the grades of all samples by turns, and again when they change', async () => {
  await own.put(auto)
  await pass({ answers: 15, targetFlawed: 10, canaryFlawed: 10 })
  const [first, second] = await Promise.all([own.deps.canary.gradableSamples(await own.read(), 20), own.read()])
  own.clock.advance(1_000)
  const ungraded = first.map(({ logId }) => ({ logId, grade: null, probability: null, skipProbability: null }))
  await own.deps.canary.saveGrades(second, ungraded, own.clock.now())
  const all = await own.deps.canary.gradableSamples(second, 100)
  expect([first.length, all.length]).toEqual([20, 30])
  const known = new Set(first.map(({ logId }) => logId))
  expect(all.slice(0, 10).some(({ logId }) => known.has(logId))).toBe(false)
  own.gradeOf = () => 'fail'
  await own.evaluate()
  own.gradeOf = () => 'pass'
  await own.evaluate()
  const { arms } = await own.deps.canary.counts(await own.read(), own.clock.now())
  expect(arms.target).toMatchObject({ graded: 15, gradedPasses: { humanFails: 0 } })
})

it('counts answers that people skipped against a promotion, until they are graded; not those after the last grade', async () => {
  await own.put(auto)
  await pass({ answers: 60, targetFlawed: 100, canaryFlawed: 100 })
  const alias = await own.read()
  const { canary } = own.deps
  const strata = await canary.drawable(alias, 40)
  const offered = (arm: 'target' | 'canary') =>
    strata.find((each) => each.arm === arm && each.verdict === 'pass')?.samples ?? []
  const drawn = [...offered('target'), ...offered('canary')].map((sample) => ({ ...sample, probability: 0.5 }))
  await canary.saveDraws(alias, drawn, own.clock.now())
  own.probabilityOf = () => null
  const armsWith = async (isLeftOut: (place: number) => boolean) => {
    const graded = new Set(
      (['target', 'canary'] as const).flatMap((arm) =>
        offered(arm)
          .filter((_, place) => !isLeftOut(place))
          .map(({ logId }) => logId),
      ),
    )
    own.gradeOf = (logId) => (graded.has(logId) ? 'pass' : null)
    await own.evaluate()
    return (await canary.counts(await own.read(), own.clock.now())).arms
  }
  const stopped = await armsWith((place) => place >= 30)
  expect(stopped.canary).toMatchObject({ gradedPasses: { drawn: 30 }, skipped: 0, atWorst: null })
  const skipping = await armsWith((place) => place < 10 || place >= 30)
  for (const arm of ['target', 'canary'] as const) {
    expect(skipping[arm]).toMatchObject({ gradedPasses: { drawn: 20, humanFails: 0 }, skipped: 10 })
    const humanFails = arm === 'canary' ? 10 : 0
    expect(skipping[arm].atWorst?.gradedPasses).toEqual({ drawn: 30, humanFails })
  }
  expect((await armsWith(() => false)).canary).toMatchObject({ gradedPasses: { drawn: 40 }, skipped: 0 })
})

it('counts answers of later draws as skipped only when later ones of theirs are graded', async () => {
  await own.put(auto)
  await pass({ answers: 60, targetFlawed: 100, canaryFlawed: 100 })
  const alias = await own.read()
  const { canary } = own.deps
  const graded = new Set<string>()
  own.probabilityOf = () => null
  own.gradeOf = (logId) => (graded.has(logId) ? 'pass' : null)
  const passes = async () =>
    (await canary.drawable(alias, 200)).find(({ arm, verdict }) => arm + verdict === 'canarypass')
  const all = (await passes())?.samples ?? []
  const offer = (samples: typeof all) =>
    canary.saveDraws(
      alias,
      samples.map((sample) => ({ ...sample, probability: 0.5 })),
      own.clock.now(),
    )
  const skipped = async () => {
    await own.evaluate()
    return (await canary.counts(alias, own.clock.now())).arms.canary.skipped
  }
  // New answers may come before graded ones in the random order.
  await offer(all.slice(20, 40))
  for (const { logId } of all.slice(20, 40)) graded.add(logId)
  own.clock.advance(1_000)
  await offer(all.slice(0, 10))
  expect(await skipped()).toBe(0)
  graded.add(all[4]?.logId ?? '')
  expect(await skipped()).toBe(4)
})

it('counts what people skipped in a draw of the judge', async () => {
  await own.put(auto)
  await pass({ answers: 10, targetFlawed: 100, canaryFlawed: 100 })
  const alias = await own.read()
  const { canary } = own.deps
  const [first, second] = (await canary.gradableSamples(alias, 2)).map(({ logId }) => logId)
  const grades = [
    { logId: first ?? '', grade: null, probability: 0.5, skipProbability: 0.5 },
    { logId: second ?? '', grade: null, probability: 0.5, skipProbability: null },
  ]
  await canary.saveGrades(alias, grades, own.clock.now())
  const { arms } = await canary.counts(alias, own.clock.now())
  expect(arms.target.skipped + arms.canary.skipped).toBe(1)
})
