import { changeCriterion } from './change-criterion.ts'
import { storedCriterion } from './criterion.fixture.ts'
import type { CriterionPatch } from './criterion.ts'
import { patchOf } from './new-criterion.ts'

const current = storedCriterion({ population: 'chat' })

const voiding: readonly [CriterionPatch, string][] = [
  [{ judgePrompt: 'Fail an answer that is long.' }, 'judge_prompt changed'],
  [{ judgeModel: 'sim/judge-0.9-0.9' }, 'judge_model changed'],
  [{ population: '' }, 'population changed'],
  [{ populationFamily: 'seg_1' }, 'population_family changed'],
  [{ judgePrompt: 'x', population: 'y', name: 'z' }, 'judge_prompt and population changed'],
  [{ judgePrompt: 'x', judgeModel: 'm', population: 'y' }, 'judge_prompt, judge_model and population changed'],
]

const keeping: readonly CriterionPatch[] = [
  {},
  { name: 'Kind' },
  { description: 'What it is for' },
  { onlineEnabled: true },
  { onlinePercent: 100 },
  { onlineCapNano: 5_000_000_000n },
  { status: 'retired' },
]

describe('a change of a judge', () => {
  it.each(voiding)('%j voids the calibration and says why', (patch, voids) => {
    expect(changeCriterion(current, { ...patchOf({}), ...patch })).toEqual({ patch, voids })
  })

  it.each(keeping)('%j keeps the calibration', (patch) => {
    expect(changeCriterion(current, { ...patchOf({}), ...patch })).toEqual({ patch, voids: null })
  })

  it('to the present values changes nothing', () => {
    const { judgePrompt, judgeModel, population, populationFamily, description, onlineCapNano } = current
    const same = { judgePrompt, judgeModel, population, populationFamily, description, onlineCapNano }
    expect(changeCriterion(current, { ...patchOf({}), ...same })).toEqual({ patch: {}, voids: null })
  })

  it('may remove the description, and does not change fields that the body leaves out', () => {
    const described = storedCriterion({ description: 'Old' })
    expect(changeCriterion(described, patchOf({ description: null, online_cap_usd: 0.1 }))).toEqual({
      patch: { description: null, onlineCapNano: 100_000_000n },
      voids: null,
    })
  })
})
