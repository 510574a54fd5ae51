import type { BaselineReport } from '@ratchet/contracts/eval-report'
import { nanoToUsd } from '@ratchet/contracts/money'
import { quantileInterval } from '@ratchet/stats/quantile-interval'
import type { MeasuredAnswer, MeasuredSample } from '../samples/measured-sample.ts'
import { latenciesOf, meanOf, percentile95Of } from './latencies.ts'

export type ModelFigures = Omit<BaselineReport, 'model'>

/** What the model at this place answered, in samples that did not come to their end too: it was asked and billed. */
export function answersAt(samples: readonly MeasuredSample[], place: number): readonly MeasuredAnswer[] {
  return samples.flatMap(({ answers }) => answers[place] ?? [])
}

/**
 * What is known of any model, baseline or candidate, without a judge.
 *
 * @param answers of the samples that were tried
 * @param assertionNames also those that no answer was held to are reported
 */
export function modelFigures(answers: readonly MeasuredAnswer[], assertionNames: readonly string[]): ModelFigures {
  const answered = answers.filter(({ isAnswered }) => isAnswered)
  const errors = answers.length - answered.length
  const latencies = latenciesOf(answers)
  const p95 = quantileInterval(latencies, { quantile: 0.95 })
  return {
    avg_latency_ms: meanOf(latencies),
    p95_latency_ms: percentile95Of(latencies),
    p95_latency_ci: p95 === null ? null : [p95.low, p95.high],
    cost_usd: nanoToUsd(answers.reduce((sum, { costNano }) => sum + (costNano ?? 0n), 0n)),
    errors,
    error_rate: answers.length === 0 ? null : errors / answers.length,
    assertions: Object.fromEntries(assertionNames.map((name) => [name, assertionResult(answered, name)])),
  }
}

function assertionResult(answered: readonly MeasuredAnswer[], name: string): ModelFigures['assertions'][string] {
  const held = answered.flatMap(({ assertions }) => (Object.hasOwn(assertions, name) ? [assertions[name]] : []))
  const passed = held.filter((holds) => holds === true).length
  return { passed, total: held.length, pass_rate: held.length === 0 ? null : passed / held.length }
}
