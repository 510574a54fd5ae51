import type { EndpointInput } from '@ratchet/contracts/client/endpoint-client'
import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { z } from 'zod'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from './api-commands.ts'
import { parsePageLimit } from './page-limit.ts'

/** A list of the API as a table. */
export interface ListCommand<E extends Endpoint, Row> {
  readonly name: string
  readonly description: string
  readonly endpoint: E
  /** Path parameters as arguments of the command, in order: name and what it is. */
  readonly params?: readonly (readonly [name: string, description: string])[]
  /** Flags with a value that become query parameters: the flags, the parameter, and what it means. */
  readonly filters?: readonly (readonly [flags: string, parameter: string, description: string])[]
  /** Query parameters that are always sent. */
  readonly query?: Readonly<Record<string, string>>
  /** Absent: the whole list is one page. */
  readonly limit?: string
  readonly heading: readonly string[]
  readonly rowOf: (row: Row) => readonly string[]
  /** Printed instead of an empty table: what to do next. */
  readonly empty: string
}

type ListReply<Row> = { readonly data: readonly Row[]; readonly total?: number }

export function addList<E extends Endpoint, Row = ListReply<unknown> & z.output<E['reply']>>(
  { group, run }: ApiCommands,
  {
    endpoint,
    params = [],
    filters = [],
    query: fixed = {},
    limit,
    heading,
    rowOf,
    empty,
    ...about
  }: ListCommand<E, Row>,
): void {
  const command = group.command(about.name).description(about.description)
  for (const [name, description] of params) command.argument(`<${name}>`, description)
  for (const [flags, , description] of filters) command.option(flags, description)
  if (limit !== undefined) command.option('--limit <count>', 'maximum number', parsePageLimit, limit)
  command.action(() =>
    run(async ({ connect }) => {
      const options = command.opts<Readonly<Record<string, string | undefined>>>()
      const named = command.options.flatMap((option) => {
        const parameter = filters.find(([flags]) => flags === option.flags)?.[1]
        const value = options[option.attributeName()]
        return parameter === undefined || value === undefined ? [] : [[parameter, value] as const]
      })
      const query = { ...fixed, ...Object.fromEntries(named), ...(limit === undefined ? {} : { limit: options.limit }) }
      const values = Object.fromEntries(params.map(([name], index) => [name, command.args[index] ?? '']))
      const api = await connect()
      const { value, json } = await api.call(endpoint, { params: values, query } as EndpointInput<E>)
      const { data, total } = value as ListReply<Row>
      const more = total === undefined || total <= data.length ? '' : `\n${data.length} of ${total}; --limit shows more`
      const text = data.length === 0 ? empty : formatTable([heading, ...data.map(rowOf)]) + more
      return { json, text }
    }),
  )
}
