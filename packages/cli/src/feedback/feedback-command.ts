import { giveFeedback } from '@ratchet/contracts/feedback'
import { type Command, InvalidArgumentError } from 'commander'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { CliError } from '../cli-error.ts'

interface Options {
  readonly up?: true
  readonly down?: true
  readonly score?: number
  readonly comment?: string
  readonly trace?: true
}

/** `ratchet feedback`: sends what a user thought of an answer. It is not a grade. */
export function feedbackCommand({ group, run }: ApiCommands): void {
  const command: Command = group
    .description('Send what a user thought of an answer. It is not a grade, but shows what to grade next.')
    .argument('<id>', 'a log entry, the request id of an answer, or with --trace a trace')
    .option('--up', 'the user found it good')
    .option('--down', 'the user found it bad')
    .option('--score <number>', 'from 0, the worst, to 1', parseScore)
    .option('--comment <text>', 'what the user wrote')
    .option('--trace', 'the id is that of a trace')
  command.action((id: string, options: Options) => run((deps) => send(deps, id, options)))
}

async function send({ connect }: ApiDeps, id: string, options: Options) {
  const { up, down, score, comment, trace } = options
  if (up && down) throw new CliError('Give either --up or --down.')
  const said = {
    ...(up ? { rating: 'up' as const } : {}),
    ...(down ? { rating: 'down' as const } : {}),
    score,
    comment,
  }
  const target = trace ? { trace_id: id } : id.startsWith('log_') ? { log_id: id } : { response_id: id }
  const api = await connect()
  const { value, json } = await api.call(giveFeedback, { body: { ...target, ...said } })
  return { json, text: `sent ${value.id} about ${value.log_id ?? value.trace_id}` }
}

function parseScore(value: string): number {
  const score = Number(value)
  if (value.trim() !== '' && score >= 0 && score <= 1) return score
  throw new InvalidArgumentError('Expected a number from 0 to 1.')
}
