import { updateCriterion } from '@ratchet/contracts/criteria'
import {
  getImprovement,
  ImproveCriterion,
  type Improvement,
  improveCriterion,
  type NoImprovementReason,
} from '@ratchet/contracts/judge-assist'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { number, text } from '../api/value-parsers.ts'
import { inShare, inUsd } from '../text/in-words.ts'
import { addJudgeArgument } from './judge-id.ts'
import { exitOf, failureText, watchRun } from './watch-run.ts'

interface Options {
  readonly iterations?: number
  readonly maxCost?: number
  readonly model?: string
  readonly apply?: true
}

export function improveJudge({ group, run }: ApiCommands): void {
  const { max_iterations: iterations, max_cost_usd: maxCost, model } = ImproveCriterion.shape
  addJudgeArgument(
    group
      .command('improve')
      .description('Search for a better prompt with half of the grades, and test it on the others.'),
  )
    .option('--iterations <count>', 'maximum number of rewrites', number(iterations))
    .option('--max-cost <usd>', 'maximum cost', number(maxCost))
    .option('--model <model>', "the model that rewrites; by default the judge's own", text(model))
    .option('--apply', 'give the judge the better prompt; its calibration is void then')
    .action((id: string, options: Options) =>
      run(async (deps) => {
        const body = {
          ...(options.iterations === undefined ? {} : { max_iterations: options.iterations }),
          ...(options.maxCost === undefined ? {} : { max_cost_usd: options.maxCost }),
          ...(options.model === undefined ? {} : { model: options.model }),
        }
        const api = await deps.connect()
        const first = await api.call(improveCriterion, { params: { id }, body })
        const last = await watchRun<Improvement>(deps, api, {
          first,
          read: (client, more) => client.call(getImprovement, { params: { id, improvement_id: first.value.id } }, more),
          progressOf: ({ progress: { iteration, max_iterations: of } }) => [iteration, of],
        })
        if (last === null) return null
        const { proposed_judge_prompt: prompt } = last.value
        const isApplied = options.apply === true && prompt !== null
        if (isApplied) await api.call(updateCriterion, { params: { id }, body: { judge_prompt: prompt } })
        const note = isApplied ? `Applied. \`ratchet judge calibrate ${id}\` measures it.` : undefined
        const answer = { json: last.json, text: improvementText(last.value), ...exitOf(last.value) }
        return note === undefined ? answer : { ...answer, note }
      }),
    )
}

const reasons: Readonly<Record<NoImprovementReason, string>> = {
  no_mistakes: 'the judge is right about all grades that prompts are made from; grade more',
  no_new_prompt: 'the model gave no prompt that was not tried; use another one with --model',
  not_better_in_training: 'no prompt was better on the grades that it was made from',
  not_better_on_holdout: 'the prompt was not better on grades that it was not made from',
}

function improvementText(found: Improvement): string {
  if (found.status !== 'DONE') return failureText(found)
  const { holdout_metrics: proposed, current_holdout_metrics: current, diff } = found
  if (found.proposed_judge_prompt === null || proposed === null) {
    return `no better prompt was found${found.reason === null ? '' : `: ${reasons[found.reason]}`}, ${inUsd(found.cost_usd)}`
  }
  const row = (name: string, tpr: number | null, tnr: number | null) => [name, inShare(tpr), inShare(tnr)]
  const table = formatTable([
    ['ON UNSEEN GRADES', 'TPR', 'TNR'],
    row('present prompt', current?.tpr ?? null, current?.tnr ?? null),
    row('better prompt', proposed.tpr, proposed.tnr),
  ])
  return `${table}\n${inUsd(found.cost_usd)}\n\n${diff ?? ''}`
}
