import { describeRates } from '@ratchet/testing/describe-rates'
import { corrected, guardLook, type LookedPrompt } from './guard-look.ts'

type Random = () => number

/** How a run goes: at its share `done` of the way, from 0 to 1. */
interface Course {
  /** Share of good answers. */
  readonly truth: (done: number) => number
  /** Share of bad answers that a judge takes for good ones. */
  readonly fooled: (done: number) => { readonly train: number; readonly holdout: number }
}

const looks = 10
const [prompts, samples] = [64, 4]
/** Both judges pass 90 % of good answers and fail 90 % of bad ones. */
const [passGood, passBad] = [0.9, 0.1]
const margin = 0.05

/** Grades by which the error rates of a judge are measured, of each kind. */
const graded = 100

const share = (random: Random, trials: number, rate: number) => {
  let hits = 0
  for (let trial = 0; trial < trials; trial += 1) if (random() < rate) hits += 1
  return hits / trials
}

const youden = (random: Random) => share(random, graded, 1 - passBad) + share(random, graded, passGood) - 1

/** @param harm whether the naive rule is simulated: each look at 5 %, without a margin */
function stops(course: Course, { upTo = looks, isNaive = false } = {}) {
  return (random: Random) => {
    const [train, holdout] = [youden(random), youden(random)]
    const difficulty = Array.from({ length: prompts }, () => (random() - 0.5) * 0.4)
    const look = (done: number): LookedPrompt[] =>
      difficulty.map((hard) => {
        const good = Math.min(1, Math.max(0, course.truth(done) + hard))
        const { train: trainFooled, holdout: holdoutFooled } = course.fooled(done)
        let [trainPasses, holdoutPasses] = [0, 0]
        for (let sample = 0; sample < samples; sample += 1) {
          const isGood = random() < good
          if (random() < (isGood ? passGood : trainFooled)) trainPasses += 1
          if (random() < (isGood ? passGood : holdoutFooled)) holdoutPasses += 1
        }
        return {
          train: corrected(trainPasses / samples, train),
          holdout: corrected(holdoutPasses / samples, holdout),
        }
      })
    const first = look(0)
    const rules = isNaive ? { looks: 1, margin: 0 } : { looks, margin }
    for (let at = 1; at <= upTo; at += 1) {
      if (guardLook(first, look(at / looks), rules).verdict === 'diverging') return true
    }
    return false
  }
}

const between = (from: number, to: number) => (done: number) => from + (to - from) * done
const steady = { train: passBad, holdout: passBad }
const honest: Course = { truth: between(0.4, 0.8), fooled: () => steady }
const flat = () => 0.4

/** Only the judge of the reward is fooled, but for the given share of the tricks, which fool both. */
const fooling = (both: number): Course => ({
  truth: flat,
  fooled: (done) => ({ train: between(passBad, 0.8)(done), holdout: between(passBad, passBad + 0.7 * both)(done) }),
})

const mild: Course = {
  truth: between(0.4, 0.6),
  fooled: (done) => ({ train: between(passBad, 0.3)(done), holdout: passBad }),
}

describeRates('guard of a GRPO run: is it called diverging', [
  { title: 'honest gain from 0.40 to 0.80', atMost: 0.05, runs: 40, fullRuns: 2_000, happens: stops(honest) },
  {
    title: 'no change',
    atMost: 0.05,
    runs: 40,
    fullRuns: 2_000,
    happens: stops({ truth: flat, fooled: () => steady }),
  },
  {
    title: 'only the judge of the reward is fooled',
    atLeast: 0.99,
    runs: 20,
    fullRuns: 2_000,
    happens: stops(fooling(0)),
  },
  {
    title: 'only the judge of the reward is fooled, by the fifth of ten looks',
    atLeast: 0.8,
    runs: 20,
    fullRuns: 2_000,
    happens: stops(fooling(0), { upTo: 5 }),
  },
  {
    title: '30 % of the tricks fool both judges',
    atLeast: 0.95,
    runs: 20,
    fullRuns: 2_000,
    happens: stops(fooling(0.3)),
  },
  {
    title: '60 % of the tricks fool both judges',
    atLeast: 0.5,
    runs: 0,
    fullRuns: 2_000,
    happens: stops(fooling(0.6)),
  },
  { title: 'all tricks fool both judges', atMost: 0.05, runs: 20, fullRuns: 2_000, happens: stops(fooling(1)) },
  {
    title: 'mild: fooled from 0.10 to 0.30 while the truth gains 0.20',
    atMost: 0.4,
    runs: 0,
    fullRuns: 2_000,
    happens: stops(mild),
  },
])

describeRates('guard of a GRPO run: a naive rule, 5 % at each look and no margin', [
  {
    title: 'honest gain from 0.40 to 0.80',
    atLeast: 0.15,
    runs: 40,
    fullRuns: 2_000,
    happens: stops(honest, { isNaive: true }),
  },
])
