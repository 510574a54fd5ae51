import { getTrace, listTraces, type Trace } from '@ratchet/contracts/traces'
import { formatTable } from '../answer.ts'
import type { ApiCommands } from '../api/api-commands.ts'
import { addList } from '../api/list-command.ts'
import { inMs, inUsd } from '../text/in-words.ts'

export function traceCommands(commands: ApiCommands): void {
  addList<typeof listTraces, Trace>(commands, {
    name: 'list',
    description: 'List agent runs, the one with the newest step first.',
    endpoint: listTraces,
    filters: [
      ['--model <model>', 'model', 'a model that answered a step'],
      ['--tag <tag>', 'tag', 'label of a step'],
      ['--segment <segment>', 'segment', 'family of the system prompt of a step'],
      ['--min-steps <count>', 'min_steps', 'minimum number of steps'],
    ],
    limit: '20',
    heading: ['ID', 'LAST', 'STEPS', 'COMPLETED', 'ERRORS', 'COST', 'MODELS'],
    rowOf: (trace) => [
      trace.id,
      trace.last_at,
      String(trace.steps),
      trace.completed ? 'yes' : 'no',
      String(trace.error_count),
      inUsd(trace.cost_usd),
      trace.models.join(', '),
    ],
    empty: 'no traces; send a trace id with the requests of a run',
  })
  showTrace(commands)
}

function showTrace({ group, run }: ApiCommands): void {
  group
    .command('show')
    .description('Show the steps of a run in their order.')
    .argument('<id>', 'the trace id')
    .action((id: string) =>
      run(async ({ connect }) => {
        const api = await connect()
        const { value, json } = await api.call(getTrace, { params: { trace_id: id }, query: { content: 'none' } })
        const rows = value.data.map((step, index) => [
          String(step.step_index ?? index),
          step.id,
          step.created_at,
          step.served_model,
          step.finish_reason ?? '-',
          inMs(step.latency_ms),
        ])
        return { json, text: formatTable([['STEP', 'LOG', 'AT', 'MODEL', 'FINISH', 'LATENCY'], ...rows]) }
      }),
    )
}
