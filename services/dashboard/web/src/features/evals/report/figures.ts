import type { CandidateReport } from '@ratchet/contracts/eval-report'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { pointsText, pText } from '../words.ts'

/** A figure of the report: its name, and its text for a candidate. */
export interface Figure {
  readonly name: string
  readonly of: (found: CandidateReport) => string
}

const unknown = 'not known'
const withMinus = (text: string) => text.replace(/^-/, '−')

/** A value with its 95 % interval. */
function withInterval(
  value: number | null,
  interval: readonly [number, number] | null,
  write: (value: number) => string,
): string {
  if (value === null) return unknown
  return interval === null ? write(value) : `${write(value)} [${write(interval[0])}, ${write(interval[1])}]`
}

const ms = (value: number) => withMinus(`${count(Math.round(value))} ms`)
const perCent = (value: number) => withMinus(`${value.toFixed(1)} %`)

/** The figures of a candidate in the order of their weight. */
export const figures: readonly Figure[] = [
  { name: 'Win rate', of: (found) => withInterval(found.win_rate, found.win_rate_ci, percent) },
  {
    name: 'Wins minus losses',
    of: ({ difference }) => withInterval(difference?.value ?? null, difference?.ci ?? null, pointsText),
  },
  { name: 'Wins, ties, losses', of: ({ wins, ties, losses }) => `${wins}, ${ties}, ${losses}` },
  {
    name: 'p',
    of: ({ p_value: p, sign_test_p: sign }) => (p === null && sign === null ? unknown : pText((p ?? sign) as number)),
  },
  {
    name: 'Sign test, Holm',
    of: ({ sign_test_p_holm: holm }) => (holm === null ? 'does not apply' : pText(holm)),
  },
  { name: 'Still needed', of: neededText },
  {
    name: 'Same verdict in both orders',
    of: ({ consistency_rate: rate, inconsistent }) =>
      rate === null ? unknown : `${percent(rate)}, ${count(inconsistent)} inconsistent`,
  },
  {
    name: 'Favours the first answer',
    of: ({ position_bias: bias, position_bias_p: p }) =>
      bias === null ? unknown : `${pointsText(bias)}${p === null ? '' : `, p ${pText(p)}`}`,
  },
  {
    name: 'Win rate at equal length',
    of: (found) => withInterval(found.length_controlled_win_rate, found.length_controlled_ci, percent),
  },
  {
    name: 'Longer by',
    of: ({ length_diff: diff }) => (diff === null ? unknown : withMinus(`${Math.round(diff)} characters`)),
  },
  { name: 'Saves', of: (found) => withInterval(found.savings_pct, found.savings_ci, perCent) },
  { name: 'Cost of its answers', of: ({ cost_usd: usd }) => moneyText(microOfUsd(usd)) },
  { name: 'Slower by', of: (found) => withInterval(found.latency_diff_ms, found.latency_diff_ci, ms) },
  {
    name: 'Latency, mean and p95',
    of: ({ avg_latency_ms: mean, p95_latency_ms: p95 }) =>
      mean === null ? unknown : `${ms(mean)}, ${p95 === null ? unknown : ms(p95)}`,
  },
  {
    name: 'Errors',
    of: ({ errors, error_rate: rate }) => `${count(errors)}${rate === null ? '' : `, ${percent(rate)}`}`,
  },
]

/** What is missing for a proof, in words. */
function neededText({ inconclusive, samples_needed: needed, difference }: CandidateReport): string {
  const isOpen = difference ? difference.verdict === 'inconclusive' : inconclusive
  if (!isOpen) return 'nothing'
  return needed === null ? 'no number proves this rate' : `about ${count(needed)} more without ties`
}

/** The assertions and runs of a candidate, where the eval has them. */
export function extraFigures(found: readonly CandidateReport[]): readonly Figure[] {
  const names = [...new Set(found.flatMap(({ assertions }) => Object.keys(assertions)))]
  const asserted = names.map(
    (name): Figure => ({
      name: `Assertion ${name}`,
      of: ({ assertions }) => {
        const result = assertions[name]
        if (result === undefined) return unknown
        const { passed, total, pass_rate: rate } = result
        return `${count(passed)} of ${count(total)}${rate === null ? '' : `, ${percent(rate)}`}`
      },
    }),
  )
  const hasRuns = found.some(({ runs_total: total }) => total > 0)
  const runs: Figure = {
    name: 'Runs without a lost step',
    of: ({ runs_clean: clean, runs_total: total }) => `${count(clean)} of ${count(total)}`,
  }
  return [...asserted, ...(hasRuns ? [runs] : [])]
}
