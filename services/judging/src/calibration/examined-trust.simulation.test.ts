import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { type Look, looksAt, type TrustWorld } from './trust-world.fixture.ts'

/*
 * Worlds in which an earlier release was examined: as many grades of both verdicts where people fail little, and calibrations that
 * go on until a thousand grades.
 */

function world(
  trusted: Omit<TrustWorld, 'tnr'> & { readonly tnr?: number },
  more: Omit<SimulatedWorld, 'happens'>,
  isSeen: (look: Look) => boolean,
  sees: 'all' | 'proof' = 'proof',
): SimulatedWorld {
  const happens: SimulatedWorld['happens'] = (random, run) => {
    for (const look of looksAt({ tnr: 0.99, ...trusted }, random, { seed: String(run), sees }))
      if (isSeen(look)) return true
    return false
  }
  return { ...more, happens }
}

const isTrusted = ({ measures }: Look) => measures.trust === 'trustworthy'
const balanced = { failRate: 0.1, strategy: 'balanced', looks: [400], rows: 5_000 } as const

describeRates('as many grades of both verdicts, 400 of 5,000 answers, 10 % fails', [
  ...[0.9, 0.88, 0.85, 0.8].map((tpr) =>
    world(
      { ...balanced, tpr },
      { title: `trusts a judge of TPR ${tpr}`, atMost: 0.03, runs: 4, fullRuns: 400 },
      isTrusted,
    ),
  ),
  ...[0.9, 0.88, 0.85, 0.8].map((tpr) =>
    world(
      { ...balanced, tpr },
      { title: `has an interval that holds TPR ${tpr}`, atLeast: 0.93, runs: 0, fullRuns: 400 },
      ({ measures: { tprCi } }) => tprCi !== null && tprCi[0] <= tpr && tpr <= tprCi[1],
      'all',
    ),
  ),
])

const looks = Array.from({ length: 100 }, (_, index) => (index + 1) * 10)

describeRates('the right to act, at a calibration after every ten of 1,000 grades', [
  ...(
    [
      [0.9, 0.3],
      [0.9, 0.5],
      [0.88, 0.3],
      [0.88, 0.5],
      [0.85, 0.3],
    ] as const
  ).map(([tpr, failRate]) =>
    world(
      { tpr, failRate, strategy: 'random', looks },
      { title: `TPR ${tpr}, ${failRate * 100} % fails`, atMost: 0.03, runs: 4, fullRuns: 300 },
      ({ canAct }) => canAct,
    ),
  ),
])
