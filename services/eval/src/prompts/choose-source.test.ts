import type { CreateEval } from '@ratchet/contracts/evals'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createSourceChooser } from './choose-source.ts'
import { orderOf } from './log-entry.fixture.ts'

it.each<[Partial<CreateEval>, string, 'trace' | null]>([
  [{}, 'prompts', null],
  [{ sample_filters: { tag: 't', trace_replay: false } }, 'prompts', null],
  [{ sample_filters: { trace_replay: true }, baseline_model: 'logged' }, 'runs', null],
  [{ sample_filters: { trace_replay: true }, baseline_model: 'logged' }, 'run ends', 'trace'],
  [{ sample_filters: { dataset_id: 'ds_1' } }, 'dataset', null],
])('filters %j use %s', async (more, source, unit) => {
  const calls: string[] = []
  const log = {
    prompts: async () => calls.push('prompts') && { total: 0, examined: 0, distinct: 0, rows: [] },
    runs: async () => calls.push('runs') && { totalRuns: 0, eligibleSteps: 0, runs: [] },
    drawRuns: async () => calls.push('run ends') && { totalRuns: 0, traceIds: [] },
    readRuns: async () => [],
  }
  const logging = { call: async () => calls.push('dataset') && { example_count: 0 } }
  const sourceOf = createSourceChooser(log as unknown as LogReader, logging as unknown as FleetClient)
  const order = orderOf(more)
  const judge = unit === null ? {} : { unit }
  await sourceOf({ request: order.request as CreateEval, judge }).survey(order)
  expect(calls).toEqual([source])
})
