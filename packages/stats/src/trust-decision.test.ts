import fc from 'fast-check'
import { type Trust, trustDecision } from './trust-decision.ts'
import { wilsonInterval } from './wilson-interval.ts'

function decide([truePositives, humanFails]: readonly number[], [trueNegatives, humanPasses]: readonly number[]) {
  return trustDecision({
    truePositives: truePositives!,
    humanFails: humanFails!,
    trueNegatives: trueNegatives!,
    humanPasses: humanPasses!,
  })
}

const side = fc.tuple(fc.nat(400), fc.nat(40)).map(([correct, errors]): [number, number] => [correct, correct + errors])

describe('trustDecision', () => {
  it.each<[number[], number[], Trust, number | null, number | null]>([
    [[0, 0], [10, 10], 'unmeasured', null, 25],
    [[10, 10], [0, 0], 'unmeasured', 25, null],
    [[35, 35], [35, 35], 'trustworthy', null, null],
    [[34, 34], [35, 35], 'under-measured', 1, null],
    [[10, 10], [10, 10], 'under-measured', 25, 25],
    [[52, 53], [69, 71], 'trustworthy', null, null],
    [[53, 54], [53, 54], 'trustworthy', null, null],
    [[49, 50], [97, 100], 'under-measured', 5, null],
    [[45, 50], [95, 100], 'borderline', null, 39],
    [[92, 100], [98, 100], 'borderline', null, null],
    [[30, 40], [100, 100], 'misaligned', null, null],
    [[6, 8], [40, 40], 'under-measured', null, null],
    [[600, 650], [700, 720], 'trustworthy', null, null],
  ])('of TPR %j and TNR %j is %s', (tpr, tnr, trust, failGradesNeeded, passGradesNeeded) => {
    expect(decide(tpr, tnr)).toMatchObject({ trust, failGradesNeeded, passGradesNeeded })
  })

  it('returns the state of each side', () => {
    expect(decide([45, 50], [35, 35])).toMatchObject({
      tpr: { rate: 0.9, state: 'hugging' },
      tnr: { rate: 1, state: 'proven', interval: { low: expect.closeTo(0.901099, 6), high: 1 } },
    })
    expect(decide([0, 0], [30, 40])).toMatchObject({ tpr: null, tnr: { state: 'below' } })
    expect(decide([6, 8], [10, 10])).toMatchObject({ tpr: { state: 'open' }, tnr: { state: 'open' } })
  })

  it('calls a side hugging as soon as it takes more than the allowed extra grades', () => {
    const evidence = { truePositives: 47, humanFails: 50, trueNegatives: 35, humanPasses: 35 }
    expect(trustDecision(evidence)).toMatchObject({ trust: 'under-measured', failGradesNeeded: 167 })
    expect(trustDecision(evidence, { maxExtra: 167 }).trust).toBe('under-measured')
    expect(trustDecision(evidence, { maxExtra: 166 })).toMatchObject({ trust: 'borderline', failGradesNeeded: null })
  })

  it('counts a bound that equals the bar as proven, and not as below', () => {
    const evidence = { truePositives: 35, humanFails: 35, trueNegatives: 80, humanPasses: 100 }
    expect(trustDecision(evidence, { bar: wilsonInterval(35, 35)!.low }).tpr?.state).toBe('proven')
    expect(trustDecision(evidence, { bar: wilsonInterval(80, 100)!.high }).tnr?.state).toBe('open')
  })

  it('is proven for both sides exactly when it is trustworthy, and below on one exactly when it is misaligned', () => {
    fc.assert(
      fc.property(side, side, (tpr, tnr) => {
        const decision = decide(tpr, tnr)
        const states = [decision.tpr?.state, decision.tnr?.state]
        if (states.includes(undefined)) return expect(decision.trust).toBe('unmeasured')
        expect(decision.trust === 'misaligned').toBe(states.includes('below'))
        expect(decision.trust === 'trustworthy').toBe(states.every((state) => state === 'proven'))
        if (decision.failGradesNeeded !== null) expect(decision.tpr?.state).toBe('open')
      }),
    )
  })

  it('treats both sides alike', () => {
    fc.assert(
      fc.property(side, side, (tpr, tnr) => {
        const one = decide(tpr, tnr)
        const other = decide(tnr, tpr)
        expect(other).toEqual({
          trust: one.trust,
          tpr: one.tnr,
          tnr: one.tpr,
          failGradesNeeded: one.passGradesNeeded,
          passGradesNeeded: one.failGradesNeeded,
        })
      }),
    )
  })

  it('is trustworthy after the needed grades, if the rate remains the same', () => {
    fc.assert(
      fc.property(side, (tpr) => {
        const { failGradesNeeded } = decide(tpr, [35, 35])
        if (failGradesNeeded === null) return
        const [correct, all] = tpr
        const total = all + failGradesNeeded
        expect(decide([(correct / all) * total, total], [35, 35]).trust).toBe('trustworthy')
      }),
    )
  })

  it('refuses impossible counts', () => {
    expect(() => decide([2, 1], [1, 1])).toThrow('truePositives must be in 0..1, got 2')
    expect(() => decide([1, 1], [2, 1])).toThrow('trueNegatives')
    const evidence = { truePositives: 1, humanFails: 1, trueNegatives: 1, humanPasses: 1 }
    expect(() => trustDecision(evidence, { bar: 0 })).toThrow('bar')
  })
})
