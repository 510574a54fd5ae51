import { type Eval, EvalStatus, listEvals as endpoint } from '@ratchet/contracts/evals'
import { InvalidArgumentError, Option } from 'commander'
import { formatTable } from '../answer.ts'
import type { EvalCommands } from './eval-commands.ts'

interface Options {
  readonly limit: string
  readonly status?: string
}

export function listEvals({ group, run }: EvalCommands): void {
  group
    .command('list')
    .description('List evals, the newest first.')
    .option('--limit <count>', 'how many', parseLimit, '20')
    .addOption(new Option('--status <status>', 'only those that are it').choices(EvalStatus.options))
    .action(({ limit, status }: Options) =>
      run(async ({ connect }) => {
        const api = await connect()
        const query = { limit, ...(status === undefined ? {} : { status }) }
        const { value, json } = await api.call(endpoint, { query })
        const rows = value.data.map(rowOf)
        const table = formatTable([['ID', 'NAME', 'STATUS', 'PROGRESS', 'CREATED'], ...rows])
        return { json, text: rows.length === 0 ? 'no evals; `ratchet eval run` starts one' : table }
      }),
    )
}

function rowOf({ id, name, status, progress, created_at }: Eval): readonly string[] {
  return [id, name, status, `${progress.done}/${progress.total}`, created_at]
}

function parseLimit(value: string): string {
  const limit = endpoint.query.shape.limit.safeParse(value)
  if (!limit.success) throw new InvalidArgumentError(limit.error.issues[0]?.message ?? '')
  return value
}
