import { type AliasEvent, listAliasEvents } from '@ratchet/contracts/aliases'
import type { ApiCommands } from '../api/api-commands.ts'
import { parsePageLimit } from '../api/page-limit.ts'
import { addNameArgument } from './alias-name.ts'
import { changesOf, changesText } from './changes-of.ts'
import { evidenceLine } from './evidence-line.ts'

export function listEvents({ group, run }: ApiCommands): void {
  addNameArgument(
    group
      .command('events')
      .description('Show who changed an alias, when and why, newest first. Also for a deleted alias.'),
  )
    .option('--limit <count>', 'maximum number', parsePageLimit, '20')
    .action((name: string, { limit }: { readonly limit: string }) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(listAliasEvents, { params: { name }, query: { limit } })
        return { json, text: value.data.length === 0 ? `no events of ${name}` : value.data.map(eventText).join('\n\n') }
      }),
    )
}

function eventText({ created_at: at, kind, actor, before, after, evidence, reason }: AliasEvent): string {
  const who = actor.type === 'gate' ? 'the gate' : (actor.name ?? `a former member (${actor.user_id ?? 'unknown'})`)
  return [
    `${at}  ${kind.replaceAll('_', ' ')} by ${who}`,
    changesText(changesOf(before, after)),
    ...(reason === null ? [] : [`  reason: ${reason.replaceAll('\n', ' ')}`]),
    ...(evidence === null ? [] : [`  evidence: ${evidenceLine(evidence)}`]),
  ]
    .filter((line) => line !== '')
    .join('\n')
}
