import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { differenceOf, isConclusive } from './difference-of.ts'
import { asked, drawSamples, type TrueShares } from './simulated-eval.fixture.ts'

const margin = 0.05

/** The verdict of an eval with a fixed number of samples. */
function fixedWorld(title: string, world: { shares: TrueShares; samples: number; atMost?: number; atLeast?: number }) {
  const { shares, samples, ...promised } = world
  return (verdict: string, question: 'better' | 'not_worse'): SimulatedWorld => ({
    title,
    ...promised,
    runs: 200,
    fullRuns: 20_000,
    happens: (random) =>
      differenceOf(
        drawSamples(random, samples, shares),
        0,
        asked({ question, margin: question === 'not_worse' ? margin : null }),
      )?.verdict === verdict,
  })
}

/** A true loss of exactly the margin, with this share of wins. */
const atMargin = (wins: number): TrueShares => ({ wins, losses: wins + margin })

describeRates('false proof that a candidate is not worse by more than 5 points', [
  fixedWorld('20 samples, no wins', { shares: atMargin(0), samples: 20, atMost: 0.03 })('not_worse', 'not_worse'),
  fixedWorld('100 samples, no wins', { shares: atMargin(0), samples: 100, atMost: 0.04 })('not_worse', 'not_worse'),
  fixedWorld('100 samples, 30 % wins', { shares: atMargin(0.3), samples: 100, atMost: 0.03 })('not_worse', 'not_worse'),
  fixedWorld('500 samples, 2 % wins', { shares: atMargin(0.02), samples: 500, atMost: 0.03 })('not_worse', 'not_worse'),
  fixedWorld('500 samples, 30 % wins', { shares: atMargin(0.3), samples: 500, atMost: 0.03 })('not_worse', 'not_worse'),
])

describeRates('proof that an equal candidate is not worse by more than 5 points', [
  fixedWorld('500 samples, 10 % wins', { shares: { wins: 0.1, losses: 0.1 }, samples: 500, atLeast: 0.65 })(
    'not_worse',
    'not_worse',
  ),
])

describeRates('false proof that an equal candidate is better', [
  fixedWorld('20 samples, no ties', { shares: { wins: 0.5, losses: 0.5 }, samples: 20, atMost: 0.03 })(
    'better',
    'better',
  ),
  fixedWorld('100 samples, 60 % ties', { shares: { wins: 0.2, losses: 0.2 }, samples: 100, atMost: 0.03 })(
    'better',
    'better',
  ),
])

/** A sequential eval of 500 samples that is evaluated 20 times and stops when it is conclusive. */
function sequentialWorld(
  title: string,
  world: { shares: TrueShares; question?: 'not_worse'; verdict: string; atMost?: number; atLeast?: number },
): SimulatedWorld {
  const { shares, question = 'better', verdict, ...promised } = world
  const what = asked({ question, margin: question === 'not_worse' ? margin : null, isSequential: true })
  return {
    title,
    ...promised,
    runs: 25,
    fullRuns: 5_000,
    happens: (random) => {
      const samples = drawSamples(random, 500, shares)
      for (let done = 25; done <= 500; done += 25) {
        const seen = samples.slice(0, done)
        if (isConclusive(seen, what)) return differenceOf(seen, 0, what)?.verdict === verdict
      }
      return false
    },
  }
}

const equal = { wins: 0.35, losses: 0.35 }

describeRates('verdict of a sequential eval after 20 evaluations', [
  sequentialWorld('equal models: better', { shares: equal, verdict: 'better', atMost: 0.025 }),
  sequentialWorld('equal models: worse', { shares: equal, verdict: 'worse', atMost: 0.025 }),
  sequentialWorld('equal models, 90 % ties: better', {
    shares: { wins: 0.05, losses: 0.05 },
    verdict: 'better',
    atMost: 0.025,
  }),
  sequentialWorld('worse by the margin, no wins: not worse', {
    shares: { wins: 0, losses: 0.05 },
    question: 'not_worse',
    verdict: 'not_worse',
    atMost: 0.025,
  }),
  sequentialWorld('worse by the margin, 30 % wins: not worse', {
    shares: { wins: 0.3, losses: 0.35 },
    question: 'not_worse',
    verdict: 'not_worse',
    atMost: 0.025,
  }),
  sequentialWorld('45 % wins, 25 % losses: better', {
    shares: { wins: 0.45, losses: 0.25 },
    verdict: 'better',
    atLeast: 0.9,
  }),
])
