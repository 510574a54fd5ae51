import { getLog, type LogRow, listLogs } from '@ratchet/contracts/logs'
import { listSegments, type Segment } from '@ratchet/contracts/segments'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { addList } from '../api/list-command.ts'
import { cut } from '../text/cut.ts'
import { inMs, inUsd } from '../text/in-words.ts'
import { conversationText } from '../text/message-text.ts'
import { addLogExport } from './export-logs.ts'
import { logFilters } from './log-filters.ts'

export function logCommands(commands: ApiCommands): void {
  addList<typeof listLogs, LogRow>(commands, {
    name: 'list',
    description: 'List logged exchanges, newest first.',
    endpoint: listLogs,
    filters: logFilters.map(({ flags, parameter, description }) => [flags, parameter, description]),
    query: { content: 'none' },
    limit: '20',
    heading: ['ID', 'AT', 'MODEL', 'FINISH', 'TOKENS', 'COST', 'LATENCY', 'TAG', 'TRACE'],
    rowOf: (log) => [
      log.id,
      log.created_at,
      log.served_model,
      log.finish_reason ?? '-',
      String(log.total_tokens),
      log.cost_usd === null ? '-' : inUsd(log.cost_usd),
      inMs(log.latency_ms),
      log.tag ?? '-',
      cut(log.trace_id ?? '-', 20),
    ],
    empty: 'no logged exchanges match',
  })
  showLog(commands)
  addLogExport(commands)
  addList<typeof listSegments, Segment>(commands, {
    name: 'segments',
    description: 'List families of system prompts with their traffic.',
    endpoint: listSegments,
    limit: '20',
    heading: ['SEGMENT', 'EXCHANGES', 'VARIANTS', 'LAST', 'BEGINS WITH'],
    rowOf: ({ segment, exchanges, exact_variants: variants, last_at: last, sample }) => [
      segment,
      String(exchanges),
      String(variants),
      last,
      cut(sample ?? '-', 60),
    ],
    empty: 'no segments; nothing was logged yet',
  })
}

function showLog({ group, run }: ApiCommands): void {
  group
    .command('show')
    .description('Show one exchange with its messages and its answer.')
    .argument('<id>', 'the log entry')
    .action((id: string) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value: log, json } = await api.call(getLog, { params: { id } })
        const facts = formatTable([
          ['id', log.id],
          ['at', log.created_at],
          ['model', log.served_model],
          ['finish', log.finish_reason ?? '-'],
          ['cost', log.cost_usd === null ? '-' : inUsd(log.cost_usd)],
          ['segment', log.segment],
        ])
        return { json, text: `${facts}\n\n${conversationText([...log.messages, log.response])}` }
      }),
    )
}
