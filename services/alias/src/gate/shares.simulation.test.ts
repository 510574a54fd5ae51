import { hourMs } from '@ratchet/service-kit/timing/durations'
import { describeRates } from '@ratchet/testing/describe-rates'
import { armWith, judgeWith, settingsWith } from '../aliases/alias.fixture.ts'
import { decideGate } from './decide-gate.ts'
import { gateEvidence } from './gate-evidence.ts'
import { minGradesPerArm } from './plan-gate.ts'
import { type SimulatedCanary, simulateCanary } from './simulated-canary.fixture.ts'

type Random = () => number

const rules = { promoteAfterMs: 0, gradesPerArm: minGradesPerArm }

interface Split {
  /** Of the requests, 0..100, as it is set. */
  readonly percent: number
  /** As requests are really assigned. */
  readonly real: number
}

/** Whether a gate ever says that the sizes of the arms do not match the split, at 200 looks over 20,000 requests. */
function findsMismatch({ percent, real }: Split) {
  return (random: Random) => {
    const settings = settingsWith({ gate_mode: 'auto', canary_percent: percent })
    const judge = judgeWith()
    let canary = 0
    for (let look = 1; look <= 200; look += 1) {
      for (let request = 0; request < 100; request += 1) if (random() < real / 100) canary += 1
      const arms = { target: armWith({ assigned: 100 * look - canary }), canary: armWith({ assigned: canary }) }
      const evidence = gateEvidence({ settings, judge, arms, segments: [] })
      if (decideGate(evidence, { elapsedMs: hourMs, rules }).cause === 'srm') return true
    }
    return false
  }
}

const runs = { runs: 20, fullRuns: 1_500 }

describeRates('says that the sizes of the arms do not match the split', [
  ...[50, 10, 5, 1].map((percent) => ({
    title: `${percent}:${100 - percent}, as it is`,
    atMost: 0.02,
    ...runs,
    happens: findsMismatch({ percent, real: percent }),
  })),
  {
    title: '10:90, when 8 % of the requests are assigned',
    atLeast: 0.99,
    ...runs,
    happens: findsMismatch({ percent: 10, real: 8 }),
  },
])

/** A judge with 3 % errors. */
const usual = { failRate: 0.1, tpr: 0.97, tnr: 0.97 }

function act(action: 'promote' | 'roll_back', change: Partial<SimulatedCanary>) {
  const world: SimulatedCanary = {
    target: usual,
    canary: usual,
    grades: { target: 300, canary: 300 },
    drawn: 'planned',
    answers: 20_000,
    everyAnswers: 200,
    ...change,
  }
  return (random: Random) => simulateCanary(world, random).action === action
}

const small = { runs: 2, fullRuns: 300, atMost: 0.025 }
const worse = { ...usual, failRate: 0.15 }

describeRates('acts falsely on a canary with a small share', [
  ...[5, 1].flatMap((percent) => {
    const settings = { canary_percent: percent }
    const split = `${percent}:${100 - percent}`
    return [
      { title: `${split}: rolls back an equal one`, ...small, happens: act('roll_back', { settings }) },
      {
        title: `${split}: promotes one that is worse by exactly the threshold`,
        ...small,
        happens: act('promote', { settings, canary: worse }),
      },
      {
        title: `${split}: promotes one of 18 % against 10 %, half of its fails found`,
        ...small,
        happens: act('promote', { settings, canary: { failRate: 0.18, tpr: 0.485, tnr: 0.97 } }),
      },
    ]
  }),
])
