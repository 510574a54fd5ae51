import type { LoggedRun } from '@ratchet/contracts/internal-logs'
import { publicId } from '@ratchet/contracts/public-id'
import { workspaceIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import { drawSample, exchangeFilter, type SampleReads } from './draw-sample.ts'

const uuid = '00000000-0000-7000-8000-000000000001'
const identity = workspaceIdentity(uuid)

function run(trace_id: string, steps: number, completed = true): LoggedRun {
  const step = {
    id: publicId('log', uuid),
    segment: 's',
    tag: 't',
    canary: false,
    prompt_tokens: 0,
    completion_tokens: 5,
  }
  return {
    trace_id,
    completed,
    last_at: '2026-01-07T12:00:00.000Z',
    expires_at: '2026-02-07T12:00:00.000Z',
    step_count: steps,
    steps: Array.from({ length: steps }, (_, index) => ({ ...step, prompt_tokens: 10 * (index + 1) }) as never),
  }
}

it('draws runs for a judge of runs, a page at a time, and counts those that cannot be judged', async () => {
  const runs = [
    ...Array.from({ length: 43 }, (_, index) => run(`run-${index}`, 3)),
    run('open', 1, false),
    run('long', 0),
  ]
  const pages: number[] = []
  const requested: unknown[] = []
  const log: SampleReads = {
    sample: () => Promise.reject(new Error('draws exchanges')),
    async drawRuns(_identity, order) {
      requested.push(order)
      return { totalRuns: 90, traceIds: runs.map((each) => each.trace_id) }
    },
    async readRuns(_identity, traceIds) {
      pages.push(traceIds.length)
      return runs.filter((each) => traceIds.includes(each.trace_id))
    },
  }
  const criterion = storedCriterion({ id: uuid, unit: 'trace', population: 't' })
  const drawn = await drawSample(log, identity, { criterion, filters: { segment: 's' }, count: 45, seed: 7 })
  expect([drawn.matched, drawn.drawn, drawn.items.length]).toEqual([90, 45, 43])
  expect(requested).toEqual([{ filters: { tag: 't', segment: 's' }, count: 45, seed: 7 }])
  expect(Math.max(...pages)).toBe(20)
  // The longest prompt, and the answers of three steps.
  expect(drawn.items[0]?.tokens).toBe(45)
  expect(drawn.items[0]?.item).toMatchObject({ run: { traceId: 'run-0', stepIds: [uuid, uuid, uuid], tag: 't' } })
})

it('names the first filter that runs do not have', () => {
  expect(exchangeFilter({ tag: 't', segment: 's', model: 'm' })).toBeNull()
  expect(exchangeFilter({ tag: 't', finish_reason: 'stop' })).toBe('finish_reason')
})
