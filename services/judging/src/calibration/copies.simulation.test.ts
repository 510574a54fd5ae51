import { TRUST_BAR } from '@ratchet/stats/grades-needed'
import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { neededEValueOf, provesToAct } from './right-to-act.ts'

/** Grades of one class that each copy of a judge gets, and after how many of them it is calibrated again. */
const grades = 300
const everyGrades = 10

interface Copies {
  /** Rate at which the judge is right. */
  readonly rate: number
  readonly copies: number
}

/** Whether any copy of one judge may act at any calibration, with grades of its own. */
function anyMayAct({ rate, copies }: Copies, neededOf: (copy: number) => number) {
  return (random: () => number): boolean => {
    for (let copy = 0; copy < copies; copy += 1) {
      const neededEValue = neededOf(copy)
      for (let trials = 1, found = 0; trials <= grades; trials += 1) {
        found += random() < rate ? 1 : 0
        if (trials % everyGrades === 0 && provesToAct(found / trials, { trials, neededEValue })) return true
      }
    }
    return false
  }
}

const world = (copies: Copies, more: Omit<SimulatedWorld, 'happens'>): SimulatedWorld => ({
  ...more,
  happens: anyMayAct(copies, neededEValueOf),
})

describeRates('the right to act of any copy of a judge that is calibrated until one may', [
  world({ rate: TRUST_BAR, copies: 1 }, { title: 'one judge', atMost: 0.025, runs: 400, fullRuns: 10_000 }),
  world({ rate: TRUST_BAR, copies: 5 }, { title: '5 copies', atMost: 0.05, runs: 200, fullRuns: 4_000 }),
  world({ rate: TRUST_BAR, copies: 40 }, { title: '40 copies', atMost: 0.05, runs: 40, fullRuns: 1_000 }),
  world({ rate: 0.99, copies: 1 }, { title: 'a judge that is better', atLeast: 0.95, runs: 200, fullRuns: 4_000 }),
  {
    title: '40 copies that each had the e-value of the first',
    atLeast: 0.2,
    runs: 40,
    fullRuns: 1_000,
    happens: anyMayAct({ rate: TRUST_BAR, copies: 40 }, () => neededEValueOf(0)),
  },
])
