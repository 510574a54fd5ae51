import {
  cancelGrpoRun,
  createGrpoRun,
  estimateGrpoRun,
  type GrpoRun,
  getGrpoRun,
  listGrpoRuns,
} from '@ratchet/contracts/grpo'
import { type GrpoLook, getGrpoGuard } from '@ratchet/contracts/grpo-progress'
import { uuidOf } from '@ratchet/contracts/public-id'
import { InvalidArgumentError } from 'commander'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { inShare, inUsd } from '../text/in-words.ts'
import { printable } from '../text/printable.ts'
import { readRunBody } from './run-body.ts'
import { finalAnswer, stepsOf } from './watch-run.ts'

/** Commands of GRPO runs: what they cost, their progress, and what the guard finds. */
export function grpoCommands(commands: ApiCommands): void {
  createCommand(commands)
  watchCommand(commands)
  guardCommand(commands)
  listCommand(commands)
  cancelCommand(commands)
}

function parseRunId(value: string): string {
  if (uuidOf('grpoRun', value) === null)
    throw new InvalidArgumentError('Expected an id, as `ratchet grpo list` prints it.')
  return value
}

interface CreateOptions {
  readonly file: string
  readonly estimate?: true
  readonly idempotencyKey?: string
  readonly watch?: true
}

function createCommand({ group, run }: ApiCommands): void {
  group
    .command('run')
    .description('Create a run from a JSON file with the body of POST /v1/grpo/runs.')
    .requiredOption('--file <path>', 'the file')
    .option('--estimate', 'only say what it would cost')
    .option('--watch', 'show its progress until it ends')
    .option('--idempotency-key <key>', 'creates the run once, however often the command is repeated')
    .action(({ file, estimate, idempotencyKey, watch }: CreateOptions) =>
      run(async (deps) => {
        const body = await readRunBody(file)
        const api = await deps.connect()
        if (estimate === true) {
          const { value, json } = await api.call(estimateGrpoRun, { body })
          const rows = [
            ['sampling', inUsd(value.sampling_usd)],
            ['training', inUsd(value.training_usd)],
            ['judging', inUsd(value.judging_usd)],
            ['guard', inUsd(value.guard_usd)],
            ['total', inUsd(value.total_usd)],
            ...value.warnings.map((warning) => ['warning', warning]),
          ]
          return { json, text: formatTable(rows) }
        }
        const first = await api.call(createGrpoRun, {
          body,
          ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
        })
        const { id } = first.value
        if (watch === true) return await finalAnswer(deps, api, first)
        return {
          json: first.json,
          text: id,
          note: `Started. \`ratchet grpo watch ${printable(id)}\` shows its progress.`,
        }
      }),
    )
}

function watchCommand({ group, run }: ApiCommands): void {
  group
    .command('watch')
    .description(
      'Show the progress of a run until its candidate waits, or it ends or is paused. Exit code 1 unless one waits.',
    )
    .argument('<id>', 'the run', parseRunId)
    .action((id: string) =>
      run(async (deps) => {
        const api = await deps.connect()
        return await finalAnswer(deps, api, await api.call(getGrpoRun, { params: { id } }))
      }),
    )
}

function guardCommand({ group, run }: ApiCommands): void {
  group
    .command('guard')
    .description('Show what the reward gained, beside what a judge sees that rewards nothing.')
    .argument('<id>', 'the run', parseRunId)
    .action((id: string) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(getGrpoGuard, { params: { id } })
        const rows = [
          ['STEP', 'REWARD', 'REWARD JUDGE', 'HOLD-OUT JUDGE', 'GAP', 'AT LEAST', 'GRADES', 'VERDICT'],
          ...value.looks.map(lookRow),
        ]
        const text = value.looks.length === 0 ? 'no look is judged yet' : formatTable(rows)
        const isBad = value.verdict === 'diverging' || value.verdict === 'regressed'
        return { json, text, ...(isBad ? { exitCode: 1 } : {}) }
      }),
    )
}

function lookRow({ step, reward_mean, train_judge, holdout_judge, gap, human, verdict }: GrpoLook): readonly string[] {
  return [
    String(step),
    inShare(reward_mean),
    inShare(train_judge.rate),
    holdout_judge === null ? '-' : inShare(holdout_judge.rate),
    gap === null ? '-' : gap.estimate.toFixed(2),
    gap === null ? '-' : gap.lower.toFixed(2),
    human === null ? '-' : `${human.false_pass} of ${human.graded} failed`,
    verdict,
  ]
}

function listCommand({ group, run }: ApiCommands): void {
  group
    .command('list')
    .description('List GRPO runs, newest first.')
    .action(() =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(listGrpoRuns, { query: {} })
        const table = formatTable([['ID', 'NAME', 'STATUS', 'STEPS', 'GUARD', 'COST'], ...value.runs.map(runRow)])
        return { json, text: value.runs.length === 0 ? 'no runs; `ratchet grpo run` starts one' : table }
      }),
    )
}

function runRow(run: GrpoRun): readonly string[] {
  return [run.id, run.name, run.status, stepsOf(run), run.guard.verdict, inUsd(run.cost_usd + run.judge_cost_usd)]
}

function cancelCommand({ group, run }: ApiCommands): void {
  group
    .command('cancel')
    .description('Cancel a run. Its steps until the last checkpoint are charged.')
    .argument('<id>', 'the run', parseRunId)
    .action((id: string) =>
      run(async ({ connect }) => {
        const { value, json } = await (await connect()).call(cancelGrpoRun, { params: { id } })
        return { json, text: value.status }
      }),
    )
}
