import type { CreateEval } from '@ratchet/contracts/evals'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createSourceChooser } from './choose-source.ts'
import { orderOf } from './log-entry.fixture.ts'

it.each<[Partial<CreateEval>, string]>([
  [{}, 'prompts'],
  [{ sample_filters: { tag: 't', trace_replay: false } }, 'prompts'],
  [{ sample_filters: { trace_replay: true }, baseline_model: 'logged' }, 'runs'],
  [{ sample_filters: { dataset_id: 'ds_1' } }, 'dataset'],
])('filters %j use %s', async (more, source) => {
  const calls: string[] = []
  const log = {
    prompts: async () => calls.push('prompts') && { total: 0, examined: 0, distinct: 0, rows: [] },
    runs: async () => calls.push('runs') && { totalRuns: 0, eligibleSteps: 0, runs: [] },
  }
  const logging = { call: async () => calls.push('dataset') && { example_count: 0 } }
  const sourceOf = createSourceChooser(log as unknown as LogReader, logging as unknown as FleetClient)
  const order = orderOf(more)
  await sourceOf({ request: order.request as CreateEval }).survey(order)
  expect(calls).toEqual([source])
})
