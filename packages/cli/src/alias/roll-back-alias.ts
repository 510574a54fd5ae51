import { PutAlias, rollbackAlias } from '@ratchet/contracts/aliases'
import { Option } from 'commander'
import type { ApiCommands } from '../api/api-commands.ts'
import { text } from '../api/value-parsers.ts'
import { addNameArgument } from './alias-name.ts'

export function rollBackAlias({ group, run }: ApiCommands): void {
  addNameArgument(
    group.command('rollback').description('Remove the canary: all requests go to the target. Requires no evidence.'),
  )
    .addOption(new Option('--reason <text>', 'reason, for the audit events').argParser(text(PutAlias.shape.reason)))
    .action((name: string, { reason }: { readonly reason?: string }) =>
      run(async ({ connect }) => {
        const api = await connect()
        const body = reason === undefined ? {} : { reason }
        const { value, json } = await api.call(rollbackAlias, { params: { name }, body })
        return { json, text: `all requests of ${name} go to ${value.target_model} (version ${value.version})` }
      }),
    )
}
