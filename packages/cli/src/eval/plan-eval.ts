import { type EvalEstimate, ExpectedResult, estimateEval, type PlanEval } from '@ratchet/contracts/eval-plan'
import type { z } from 'zod'
import { type Answer, formatTable } from '../answer.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { number } from '../api/value-parsers.ts'
import { inUsd } from '../text/in-words.ts'
import { addBodyOptions, bodyOf } from './body-options.ts'

interface Options extends Readonly<Record<string, unknown>> {
  readonly expectWinRate?: number
  readonly expectTieRate?: number
}

const { win_rate: winRate, tie_rate: tieRate } = ExpectedResult.shape

export function planEval({ group, run }: ApiCommands): void {
  const command = group
    .command('plan')
    .description('Show how many samples, calls, dollars and minutes a question takes. Starts nothing.')
  addBodyOptions(command)
  command
    .option('--expect-win-rate <rate>', 'default 0.6; with `--question not_worse` 0.5', number(winRate))
    .option('--expect-tie-rate <rate>', 'default 0.3', number(tieRate))
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work({ connect }: ApiDeps, options: Options): Promise<Answer> {
  const expected: z.input<typeof PlanEval>['expected'] = {
    ...(options.expectWinRate === undefined ? {} : { win_rate: options.expectWinRate }),
    ...(options.expectTieRate === undefined ? {} : { tie_rate: options.expectTieRate }),
  }
  const body = await bodyOf(options)
  const api = await connect()
  const { value, json } = await api.call(estimateEval, { body: { ...body, expected } })
  return { json, text: planText(value) }
}

function planText({ plan, sample_count: prompts, distinct_prompts: distinct }: EvalEstimate): string {
  const { margin, expected_win_rate: rate, expected_tie_rate: ties } = plan
  const asked = plan.question === 'better' ? 'better' : `not worse by more than ${percent(margin ?? 0)}`
  const isEnough = plan.answered_by_this_eval === true ? 'enough' : 'not enough'
  return formatTable([
    ['', 'THIS EVAL', 'NEEDED FOR 80 %'],
    ['samples', `${prompts} (${isEnough})`, inCount(plan.samples_needed)],
    ['samples, stopping when conclusive', '-', inCount(plan.samples_needed_sequential)],
    ['calls of models / judges', `${plan.model_calls} / ${plan.judge_calls}`, '-'],
    ['cost', inUsd(plan.cost_usd), plan.cost_usd_needed === null ? '-' : inUsd(plan.cost_usd_needed)],
    ['minutes', inMinutes(plan.minutes), inMinutes(plan.minutes_needed)],
    ['distinct prompts', String(distinct), '-'],
    ['question', asked, `at a win rate of ${percent(rate)} and ${percent(ties)} ties`],
  ])
}

function inCount(count: number | null): string {
  return count === null ? 'no number proves it' : String(count)
}

function inMinutes(minutes: number | null): string {
  return minutes === null ? 'unknown' : minutes.toFixed(1)
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))} %`
}
