import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { WorkPostponed } from '@ratchet/service-kit/with-lease'
import { evalRequest, leasedSample, newEval } from '../runs/eval.fixture.ts'
import { evaluating, judgeModel, modelsThatSay, nameOf, verdict } from './evaluated-work.fixture.ts'
import type { OthersUnderWay } from './sample.ts'

const request = evalRequest({ candidate_models: ['sim/large', 'sim/small'] })
const sample = leasedSample({ run: newEval({ request, maxCostNano: 1_000n }) })
const reached = { status: 402, code: 'spend_cap_reached' } as const
const overCap = { outcomes: ['error', 'error'], failure: 'over_cap' }
const alone: OthersUnderWay = { hasAny: false, hasEarlier: false }
const behind: OthersUnderWay = { hasAny: true, hasEarlier: true }
const ahead: OthersUnderWay = { hasAny: true, hasEarlier: false }

describe('a sample that the cap does not cover', () => {
  it.each([['sim/medium'], ['sim/large'], [judgeModel]])(
    'ends when it is alone with what is left: %s',
    async (model) => {
      const inference = modelsThatSay({ [model]: reached })
      const work = evaluating(sample, inference, { others: () => alone })
      expect(await work.attempt()).toEqual(overCap)
      // What was billed is kept all the same.
      expect(work.answers).toHaveLength(model === judgeModel ? 3 : 2)
      expect(inference.charged).toHaveLength(work.answers.length)
    },
  )

  it('is no failure of its models, however often it comes', async () => {
    const work = evaluating(sample, modelsThatSay({ 'sim/large': reached }), { others: () => behind })
    for (const failures of [0, 2, 4]) await expect(work.attempt(failures)).rejects.toBeInstanceOf(WorkPostponed)
    expect(work.answers.map(({ modelIndex }) => modelIndex)).toEqual([0, 2])
  })

  it('waits for others that came before', async () => {
    const work = evaluating(sample, modelsThatSay({ [judgeModel]: reached }), { others: () => behind })
    await expect(work.attempt()).rejects.toMatchObject({ delayMs: 500 })
  })

  it('ends once another one has, whoever is under way', async () => {
    const cap = { others: () => behind, countOverCap: () => 1 }
    expect(await evaluating(sample, modelsThatSay({ 'sim/small': reached }), cap).attempt()).toEqual(overCap)
  })

  it('is done one by one where it covers no more at the same time', async () => {
    const refusals = new Map<string, number>()
    const reluctant = (answer: string) => (body: { readonly model: string }) => {
      const times = refusals.get(body.model) ?? 0
      refusals.set(body.model, times + 1)
      return times < 1 ? reached : answer
    }
    const inference = modelsThatSay({
      'sim/large': reluctant(nameOf('sim/large')),
      'sim/small': reluctant(nameOf('sim/small')),
      [judgeModel]: reluctant(verdict('tie')),
    })
    const work = evaluating(sample, inference, { others: () => alone })
    expect(await work.attempt()).toEqual({ outcomes: ['tie', 'tie'], failure: null })
    expect(inference.charged).toHaveLength(3 + 4)
  })

  it('goes on trying before the others, until what they hold comes free', async () => {
    let looked = 0
    const others = () => {
      looked += 1
      return looked < 3 ? ahead : alone
    }
    const inference = modelsThatSay({ 'sim/large': () => (looked < 2 ? reached : nameOf('sim/large')) })
    expect(await evaluating(sample, inference, { others }).attempt()).toEqual({
      outcomes: ['tie', 'tie'],
      failure: null,
    })
    expect(looked).toBe(2)
  })

  it('that fails otherwise too is what it fails of', async () => {
    const broken = { status: 502, code: null }
    const work = evaluating(sample, modelsThatSay({ 'sim/large': reached, 'sim/small': broken }))
    await expect(work.attempt()).rejects.toBeInstanceOf(FleetCallError)
  })
})
