import { deleteAlias as endpoint } from '@ratchet/contracts/aliases'
import type { ApiCommands } from '../api/api-commands.ts'
import { addNameArgument } from './alias-name.ts'

export function deleteAlias({ group, run }: ApiCommands): void {
  addNameArgument(
    group.command('delete').description('Delete an alias. Requests that name it are refused. Its audit events remain.'),
  ).action((name: string) =>
    run(async ({ connect }) => {
      const api = await connect()
      const { json } = await api.call(endpoint, { params: { name } })
      return { json, text: `deleted ${name}` }
    }),
  )
}
