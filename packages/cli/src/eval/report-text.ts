import type { EvalDifference } from '@ratchet/contracts/eval-question'
import type { CandidateReport, EvalReport } from '@ratchet/contracts/eval-report'
import type { Eval } from '@ratchet/contracts/evals'
import { formatTable } from '../answer.ts'
import { inMs, inShare, inUsd, withInterval } from '../text/in-words.ts'
import { intervalPicture } from '../text/interval-picture.ts'
import { evidenceText } from './evidence-text.ts'

type Candidates = readonly (readonly [string, CandidateReport])[]

/** The report of an eval as text. */
export function reportText(found: Eval): string {
  const sections = [headOf(found), ...(found.report === null ? [] : sectionsOf(found, found.report))]
  return sections.filter((section) => section !== '').join('\n\n')
}

function sectionsOf(found: Eval, report: EvalReport): readonly string[] {
  // In the order of the request.
  const candidates = found.candidate_models.flatMap((model) => {
    const figures = report.candidates[model]
    return figures === undefined ? [] : [[model, figures] as const]
  })
  return [
    figuresOf(report, candidates),
    verdictsOf(report, candidates),
    panelText(report, candidates),
    assertionsOf(report, candidates),
    evidenceText(found),
    footOf(found, report),
    report.warnings.map((warning) => `warning: ${warning}`).join('\n'),
  ]
}

function headOf({ name, id, status, error, judge_model, criterion_id, ...found }: Eval): string {
  const { judge_trust: trust, judge_can_act: canAct, judge_cannot_act_reason: reason } = found
  const judge = criterion_id === null ? '' : ` with ${criterion_id}, ${trust ?? 'unmeasured'}`
  const lines = [
    `${name} (${id})`,
    `${status}${error === null ? '' : `: ${error}`}`,
    `judged by ${judge_model}${judge}`,
    ...(canAct === false ? [`no evidence for an alias: its judge may not act: ${reason}`] : []),
  ]
  return lines.join('\n')
}

function figuresOf({ baseline }: EvalReport, candidates: Candidates): string {
  const heading = [
    'MODEL',
    'WIN RATE (95 %)',
    'AT EQUAL LENGTH',
    'W/T/L',
    'CONSISTENT',
    'SAVINGS (95 %)',
    'LATENCY AVG / P95',
    'ERRORS',
    'COST',
  ]
  const shared = (figures: EvalReport['baseline'] | CandidateReport) => [
    `${inMs(figures.avg_latency_ms)} / ${inMs(figures.p95_latency_ms)}`,
    String(figures.errors),
    inUsd(figures.cost_usd),
  ]
  const rows = candidates.map(([model, figures]) => [
    model,
    withInterval(inHundredths(figures.win_rate), endsInHundredths(figures.win_rate_ci)),
    withInterval(inHundredths(figures.length_controlled_win_rate), endsInHundredths(figures.length_controlled_ci)),
    `${figures.wins}/${figures.ties}/${figures.losses}`,
    inShare(figures.consistency_rate),
    withInterval(figures.savings_pct, figures.savings_ci),
    ...shared(figures),
  ])
  return formatTable([heading, [`${baseline.model} (baseline)`, '-', '-', '-', '-', '-', ...shared(baseline)], ...rows])
}

/** A picture and a conclusion for each candidate. */
function verdictsOf({ baseline }: EvalReport, candidates: Candidates): string {
  const rows = candidates.map(([model, figures]) => {
    const { win_rate: rate, win_rate_ci: ends } = figures
    const picture = rate === null || ends === null ? '' : intervalPicture(rate, ends)
    return [model, picture, verdictOf(figures, baseline.model)]
  })
  return formatTable([['WIN RATE', '', ''], ...rows])
}

function verdictOf(figures: CandidateReport, baseline: string): string {
  const { win_rate: rate, inconclusive, samples_needed: needed } = figures
  // No other p-value decided, so none is shown: it could contradict the conclusion.
  const p = figures.p_value
  const proof = p === null ? '' : ` (p = ${p < 0.001 ? '< 0.001' : p.toFixed(3)})`.replace('= <', '<')
  const doubt = doubtOf(figures)
  if (rate === null) return `no answers were judged${doubt}`
  if (figures.difference?.question === 'not_worse') return `${notWorseText(figures.difference, baseline)}${doubt}`
  if (!inconclusive) return `conclusive: ${rate > 0.5 ? 'better' : 'worse'} than ${baseline}${proof}${doubt}`
  const need = needed === null ? '' : `; about ${needed} samples without ties would be conclusive at this rate`
  return `inconclusive${proof}${need}${doubt}`
}

function notWorseText({ value, ci, margin, verdict }: EvalDifference, baseline: string): string {
  const found = `wins minus losses ${withInterval(inHundredths(value), endsInHundredths(ci))} points`
  const limit = `${baseline} by more than ${((margin ?? 0) * 100).toFixed(1)} points`
  if (verdict === 'not_worse') return `not worse than ${limit} (${found})`
  return verdict === 'worse' ? `worse than ${limit} (${found})` : `inconclusive: perhaps worse than ${limit} (${found})`
}

/** The judges of a panel and how far they agree; empty for a single judge. */
function panelText({ judges = [] }: EvalReport, candidates: Candidates): string {
  if (judges.length < 2) return ''
  const rows = candidates.flatMap(([model, { panel }]) => [
    ...(panel?.judges ?? []).map((judge) => [
      model,
      judge.model,
      `${judge.wins}/${judge.ties}/${judge.losses}`,
      inUsd(judges.find((each) => each.model === judge.model)?.cost_usd ?? 0),
    ]),
    ...(panel?.agreements ?? []).map(({ judges: pair, agreement, kappa }) => [
      model,
      pair.join(' and '),
      `agree on ${inShare(agreement)}`,
      `kappa ${kappa === null ? '-' : kappa.toFixed(2)}`,
    ]),
    ...(panel == null ? [] : [[model, 'disputed', String(panel.disputed), '']]),
  ])
  return formatTable([['CANDIDATE', 'JUDGE', 'W/T/L', 'COST OF ALL'], ...rows])
}

function doubtOf({ judge_unreliable: isUnreliable, judge_biased: isBiased }: CandidateReport): string {
  if (isUnreliable) return '; the judge contradicts itself too often'
  return isBiased ? '; the judge prefers answers by their place' : ''
}

function assertionsOf({ baseline }: EvalReport, candidates: Candidates): string {
  const models = [[baseline.model, baseline] as const, ...candidates]
  const names = [...new Set(models.flatMap(([, { assertions }]) => Object.keys(assertions)))]
  if (names.length === 0) return ''
  const rows = names.map((name) => [
    name,
    ...models.map(([, { assertions }]) => {
      const result = assertions[name]
      return result === undefined ? '-' : `${result.passed}/${result.total} ${inShare(result.pass_rate)}`
    }),
  ])
  return formatTable([['ASSERTION', ...models.map(([model]) => model)], ...rows])
}

function footOf({ cost_usd, judge_cost_usd }: Eval, report: EvalReport): string {
  const { samples_judged, samples_total, samples_failed, smallest_provable } = report
  const runs = Object.entries(report.candidates).flatMap(([model, { runs_total: total, runs_clean: clean }]) =>
    total === 0 ? [] : [`${model}: ${clean} of ${total} agent runs without a lost step`],
  )
  const skipped = report.samples_skipped ? `, ${report.samples_skipped} not needed` : ''
  const failed = `${samples_failed === 0 ? '' : `, ${samples_failed} failed`}${skipped}`
  const points = (smallest_provable * 100).toFixed(1)
  const provable = samples_judged === 0 ? '' : `; this many show a win rate that is at least ${points} points from 50 %`
  return [
    ...runs,
    `${samples_judged} of ${samples_total} samples judged${failed}${provable}`,
    `answers ${inUsd(cost_usd)}, judging ${inUsd(judge_cost_usd)}`,
  ].join('\n')
}

function inHundredths(rate: number | null): number | null {
  return rate === null ? null : rate * 100
}

function endsInHundredths(ends: readonly [number, number] | null): readonly [number, number] | null {
  return ends === null ? null : [ends[0] * 100, ends[1] * 100]
}
