import { type EvalEstimate, estimateEval } from '@ratchet/contracts/eval-plan'
import { type CreateEval, createEval } from '@ratchet/contracts/evals'
import { type Command, Option } from 'commander'
import type { z } from 'zod'
import { type Answer, formatTable } from '../answer.ts'
import type { Api } from '../api/api-client.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { inUsd } from '../text/in-words.ts'
import { printable } from '../text/printable.ts'
import { addBodyOptions, bodyOf } from './body-options.ts'
import { finalAnswer } from './final-answer.ts'
import { addGateOptions, assertGateFits, checkAttributes, gateChoiceOf } from './gate-options.ts'

interface Options extends Readonly<Record<string, unknown>> {
  readonly estimate?: true
  readonly detach?: true
}

export function runEval({ group, run }: ApiCommands): void {
  const command = group
    .command('run')
    .description('Start an eval, wait for its end and print its report. With checks, the exit code is that of `gate`.')
  addBodyOptions(command)
  addRunOptions(command)
  addGateOptions(command, '--gate-candidate')
  command.action((options: Options) => run((deps) => work(deps, options)))
}

function addRunOptions(command: Command): void {
  command
    .addOption(
      new Option('--estimate', 'print the estimated cost and start nothing').conflicts(['detach', ...checkAttributes]),
    )
    .addOption(new Option('--detach', 'do not wait for the end').conflicts([...checkAttributes]))
}

async function work(deps: ApiDeps, options: Options): Promise<Answer | null> {
  const body = await bodyOf(options)
  const choice = gateChoiceOf({ ...options, candidate: undefined })
  if (choice !== null) assertGateFits(choice, body.candidate_models, '--gate-candidate')
  const api = await deps.connect()
  if (options.estimate) return estimate(api, body)
  // A retry with the same key does not start a second eval.
  const idempotencyKey = `ratchet-cli-${Buffer.from(deps.io.randomBytes(16)).toString('hex')}`
  const first = await api.call(createEval, { body, idempotencyKey })
  const { id, name } = first.value
  if (options.detach) {
    return { json: first.json, text: id, note: `Started. \`ratchet eval watch ${printable(id)}\` shows its progress.` }
  }
  deps.io.stderr(`${printable(`Started ${id}: ${name}`).replaceAll('\n', ' ')}\n`)
  return finalAnswer(deps, api, { first, choice })
}

async function estimate(api: Api, body: z.input<typeof CreateEval>): Promise<Answer> {
  const { value, json } = await api.call(estimateEval, { body })
  return { json, text: estimateText(value) }
}

function estimateText(estimated: EvalEstimate): string {
  const { estimated_cost_usd: answers, judge_cost_usd: judging } = estimated
  return formatTable([
    ['answers', inUsd(answers)],
    ['judging', inUsd(judging)],
    ['together', inUsd(answers + judging)],
    ['samples', String(estimated.sample_count)],
    ['eligible prompts', String(estimated.eligible_prompts)],
    ['distinct prompts', String(estimated.distinct_prompts)],
  ])
}
