import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { FamilyRule } from '@ratchet/contracts/family-rules'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { judgeWith } from '../aliases/alias.fixture.ts'
import { gateReply } from './gate-reply.ts'
import { type WatchedAlias, watchedAlias } from './watched-alias.fixture.ts'

let own: WatchedAlias

beforeAll(async () => {
  own = await watchedAlias()
})

afterAll(() => own.drop())
beforeEach(() => own.clear())

const auto = { gate_mode: 'auto', canary_percent: 50 } as const satisfies Partial<AliasSettings>
const [bad, fine, later] = ['seg_00000000000000b1', 'seg_00000000000000f1', 'seg_00000000000000f2']
const toTarget = { segment: bad, model: 'sim/large' }

/** An hour of answers of both arms in each segment. @param flawed every so many answers of the canary fail */
async function hour(segments: Readonly<Record<string, number>>, answers = 100): Promise<void> {
  own.clock.advance(60_000)
  for (let index = 0; index < answers; index += 1) {
    for (const [segment, flawed] of Object.entries(segments)) {
      own.clock.advance(1)
      own.answer('target', { segment, verdict: index % 20 === 0 ? 'fail' : 'pass' })
      own.answer('canary', { segment, verdict: index % flawed === 0 ? 'fail' : 'pass' })
    }
  }
  own.clock.advance(hourMs - 60_000)
  // The first evaluation finds the answers and orders verdicts, the second one reads them.
  await own.evaluate()
  await own.evaluate()
}

async function reply() {
  const [alias, at] = [await own.read(), own.clock.now()]
  return gateReply({ alias, ...(await own.deps.canary.counts(alias, at)), at })
}

const familyOf = async (segment: string) => (await reply()).segments.find((each) => each.segment === segment)

it('rolls back only the family in which the canary is worse, and continues with the counts of the others', async () => {
  const before = await own.put(auto)
  await hour({ [bad]: 2, [fine]: 20 })
  const alias = await own.read()
  expect(alias.settings).toMatchObject({ canary_percent: 50, family_rules: [toTarget] })
  expect(alias).toMatchObject({ epoch: before.epoch, version: before.version + 1, updatedBy: 'gate' })
  expect(alias.gate).toMatchObject({ state: 'healthy', verdict: null, evaluations: expect.any(Number) })
  expect(alias.cursorLogId).not.toBe(before.cursorLogId)
  expect((await reply()).arms).toMatchObject({ target: { scored: 100 }, canary: { scored: 100, fails: 5 } })
  expect(await familyOf(bad)).toMatchObject({ state: 'rolled_back', worse: false, canary: { scored: 100 } })
  expect(await familyOf(fine)).toMatchObject({ state: 'watched', worse: false, difference: { estimate: 0 } })
  expect(await own.audit()).toEqual(['gate_family_rollback', 'created'])
  expect(await own.published()).toEqual(['alias.gate.family_rolled_back'])
})

it('stores the evidence of a family rollback in the audit', async () => {
  await own.put(auto)
  await hour({ [bad]: 2, [fine]: 20 })
  const { rows } = await own.operator.query(`SELECT * FROM alias_event WHERE kind = 'gate_family_rollback'`)
  const [{ before, after, evidence, user_id: userId, reason }] = rows
  expect([JSON.parse(before).family_rules, JSON.parse(after).family_rules, userId]).toEqual([[], [toTarget], null])
  const { segments } = JSON.parse(evidence).gate
  const found = segments.find((each: { segment: string }) => each.segment === bad)
  expect(found).toMatchObject({ state: 'worse', worse: true, error_share: expect.any(Number) })
  expect(found.difference.cs[1]).toBeLessThan(-0.05)
  expect(reason).toContain(bad)
})

it('scores no more answers of the family, and promotes the canary on the rest', async () => {
  await own.put(auto)
  own.gradeOf = () => 'pass'
  await hour({ [bad]: 2, [fine]: 20 })
  const { planned } = own
  const scored = planned.length
  for (let hours = 0; hours < 26 && (await own.read()).settings.canary_percent < 100; hours += 1) {
    await hour({ [bad]: 2, [fine]: 20 }, 20)
  }
  expect(await own.read()).toMatchObject({
    settings: { canary_percent: 100, family_rules: [toTarget] },
    gate: { state: 'promoted' },
  })
  expect(planned.length - scored).toBeLessThanOrEqual(26 * 40)
  expect(await own.audit()).toEqual(['gate_promote', 'gate_family_rollback', 'created'])
}, 60_000)

it('does not list answers of the family for grading', async () => {
  await own.put(auto)
  await hour({ [bad]: 2, [fine]: 20 })
  const strata = await own.deps.canary.drawable(await own.read(), 500)
  expect(strata.reduce((sum, { members }) => sum + members, 0)).toBe(200)
})

it('gives a family that appears later its share of the error rate, which no verdict changes', async () => {
  await own.put(auto)
  await hour({ [fine]: 20 })
  const first = (await familyOf(fine))?.error_share
  await hour({ [fine]: 20, [later]: 20 })
  expect(await familyOf(fine)).toMatchObject({ error_share: first })
  expect(await familyOf(later)).toMatchObject({ error_share: expect.closeTo(1 / 6, 10) })
  await hour({ [fine]: 20, [later]: 2 })
  expect((await own.read()).settings.family_rules).toEqual([{ segment: later, model: 'sim/large' }])
  expect((await familyOf(fine))?.error_share).toBeCloseTo(1 / 2 / (1 - 1 / 6), 10)
})

it.each<[string, () => Promise<unknown>]>([
  ['in the mode recommend', () => own.put({ ...auto, gate_mode: 'recommend' })],
  [
    'on verdicts of an untrusted judge',
    async () => {
      own.judge = judgeWith({ trust: 'borderline' })
      await own.put(auto)
    },
  ],
])('rolls back no family %s, but names it and does not promote', async (_case, start) => {
  await start()
  own.gradeOf = () => 'pass'
  await hour({ [bad]: 2, [fine]: 20 })
  expect((await own.read()).settings).toMatchObject({ canary_percent: 50, family_rules: [] })
  expect(await familyOf(bad)).toMatchObject({ state: 'worse', worse: true })
})

it('starts a new epoch when a user changes the rules, and counts only families in the split', async () => {
  await own.put(auto)
  await hour({ [bad]: 20, [fine]: 20 })
  const rules: FamilyRule[] = [
    { segment: '*', model: 'sim/large' },
    { segment: fine, model: null },
  ]
  const alias = await own.put({ ...auto, family_rules: rules })
  expect(alias.epoch.number).toBe(2)
  await hour({ [bad]: 20, [fine]: 20 })
  expect((await reply()).segments.map(({ segment }) => segment)).toEqual([fine])
  expect((await reply()).arms.canary).toMatchObject({ scored: 100 })
})
