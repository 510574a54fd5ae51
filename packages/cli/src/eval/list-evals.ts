import { type Eval, EvalStatus, listEvals as endpoint } from '@ratchet/contracts/evals'
import { Option } from 'commander'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'

interface Options {
  readonly limit: string
  readonly status?: string
}

export function listEvals({ group, run }: ApiCommands): void {
  group
    .command('list')
    .description('List evals, newest first.')
    .option('--limit <count>', 'maximum number', parsePageLimit, '20')
    .addOption(new Option('--status <status>', 'only evals with this status').choices(EvalStatus.options))
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
