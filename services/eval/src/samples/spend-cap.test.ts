import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { evalRequest, leasedSample, newEval } from '../runs/eval.fixture.ts'
import { evaluationOf, judgeModel, modelsAnswering, nameOf, verdict } from './evaluated-work.fixture.ts'
import type { OthersInProgress } from './sample.ts'

const request = evalRequest({ candidate_models: ['sim/large', 'sim/small'] })
const sample = leasedSample({ run: newEval({ request, maxCostNano: 1_000n }) })
const reached = { status: 402, code: 'spend_cap_reached' } as const
const overCap = { outcomes: ['error', 'error'], failure: 'over_cap' }
const alone: OthersInProgress = { mayRelease: false, hasEarlier: false }
const behind: OthersInProgress = { mayRelease: true, hasEarlier: true }
const ahead: OthersInProgress = { mayRelease: true, hasEarlier: false }

describe('a sample that the spend cap does not cover', () => {
  it.each([['sim/medium'], ['sim/large'], [judgeModel]])(
    'ends when no other sample is in progress: %s',
    async (model) => {
      const inference = modelsAnswering({ [model]: reached })
      const work = evaluationOf(sample, inference, { others: () => alone })
      expect(await work.attempt()).toEqual(overCap)
      // Billed answers are saved nevertheless.
      expect(work.answers).toHaveLength(model === judgeModel ? 3 : 2)
      expect(inference.charged).toHaveLength(work.answers.length)
    },
  )

  it('does not count as a failure of its models, however often it is tried', async () => {
    const work = evaluationOf(sample, modelsAnswering({ 'sim/large': reached }), { others: () => behind })
    for (const failures of [0, 2, 4]) await expect(work.attempt(failures)).rejects.toBeInstanceOf(WorkPostponed)
    expect(work.answers.map(({ modelIndex }) => modelIndex)).toEqual([0, 2])
  })

  it('waits for other samples with smaller ids', async () => {
    const work = evaluationOf(sample, modelsAnswering({ [judgeModel]: reached }), { others: () => behind })
    await expect(work.attempt()).rejects.toMatchObject({ delayMs: 500 })
  })

  it('makes no call before its turn when it has to wait again', async () => {
    let others = behind
    const inference = modelsAnswering({ 'sim/large': () => (others === behind ? reached : nameOf('sim/large')) })
    const work = evaluationOf(sample, inference, { others: () => others })
    await expect(work.attempt()).rejects.toBeInstanceOf(WorkPostponed)
    const calls = inference.calls.length
    await expect(work.attempt()).rejects.toMatchObject({ delayMs: 500 })
    expect(inference.calls).toHaveLength(calls)
    others = alone
    expect(await work.attempt()).toEqual({ outcomes: ['tie', 'tie'], failure: null })
  })

  it('ends without a call when another sample reached the cap while it waited', async () => {
    const inference = modelsAnswering({})
    const cap = { others: () => behind, countOverCap: () => 1 }
    expect(await evaluationOf({ ...sample, waitsForCap: true }, inference, cap).attempt()).toEqual(overCap)
    expect(inference.calls).toEqual([])
  })

  it('ends once another sample reached the cap', async () => {
    const cap = { others: () => behind, countOverCap: () => 1 }
    expect(await evaluationOf(sample, modelsAnswering({ 'sim/small': reached }), cap).attempt()).toEqual(overCap)
  })

  it('makes its calls one by one when the cap does not cover concurrent calls', async () => {
    const refusals = new Map<string, number>()
    const reluctant = (answer: string) => (body: { readonly model: string }) => {
      const times = refusals.get(body.model) ?? 0
      refusals.set(body.model, times + 1)
      return times < 1 ? reached : answer
    }
    const inference = modelsAnswering({
      'sim/large': reluctant(nameOf('sim/large')),
      'sim/small': reluctant(nameOf('sim/small')),
      [judgeModel]: reluctant(verdict('tie')),
    })
    const work = evaluationOf(sample, inference, { others: () => alone })
    expect(await work.attempt()).toEqual({ outcomes: ['tie', 'tie'], failure: null })
    expect(inference.charged).toHaveLength(3 + 4)
  })

  it('keeps trying when it has the smallest id, until others release their part', async () => {
    let checks = 0
    const others = () => {
      checks += 1
      return checks < 3 ? ahead : alone
    }
    const inference = modelsAnswering({ 'sim/large': () => (checks < 2 ? reached : nameOf('sim/large')) })
    expect(await evaluationOf(sample, inference, { others }).attempt()).toEqual({
      outcomes: ['tie', 'tie'],
      failure: null,
    })
    expect(checks).toBe(2)
  })

  it('fails with another error, if there is one', async () => {
    const broken = { status: 502, code: null }
    const work = evaluationOf(sample, modelsAnswering({ 'sim/large': reached, 'sim/small': broken }))
    await expect(work.attempt()).rejects.toBeInstanceOf(FleetCallError)
  })
})
