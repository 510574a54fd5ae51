import { getGatePlan } from '@ratchet/contracts/alias-gate'
import type { ApiCommands } from '../api/api-commands.ts'
import { addNameArgument } from './alias-name.ts'
import { planText } from './plan-text.ts'

interface PlanOptions {
  readonly percent?: string
  readonly rollbackThreshold?: string
  readonly confidence?: string
  readonly minSamples?: string
  readonly windowHours?: string
  readonly gate?: string
  readonly failRate?: string
}

export function showPlan({ group, run }: ApiCommands): void {
  addNameArgument(
    group
      .command('plan')
      .description(
        'Show how many judged answers and grades a gate needs, how long that takes, and what the judge costs, before it starts.',
      ),
  )
    .option('--percent <percent>', 'share of requests that the canary gets')
    .option('--rollback-threshold <drop>', 'largest tolerated drop of the pass rate, 0 to 1')
    .option('--confidence <share>', 'confidence of the gate')
    .option('--min-samples <count>', 'scored answers that each arm needs')
    .option('--window-hours <hours>', 'maximum hours until a decision')
    .option('--gate <criterion>', 'the judge')
    .option('--fail-rate <share>', 'share of bad answers to assume, 0 to 1')
    .action((name: string, options: PlanOptions) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(getGatePlan, { params: { name }, query: queryOf(options) })
        return { json, text: planText(value.plan) }
      }),
    )
}

function queryOf({ percent, rollbackThreshold, confidence, minSamples, windowHours, gate, failRate }: PlanOptions) {
  const query = {
    canary_percent: percent,
    gate_rollback_threshold: rollbackThreshold,
    gate_confidence: confidence,
    gate_min_samples_per_arm: minSamples,
    gate_window_hours: windowHours,
    gate_criterion_id: gate,
    fail_rate: failRate,
  }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
}
