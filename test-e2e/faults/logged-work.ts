import { eventually } from '@ratchet/testing/eventually'
import { Redis } from 'ioredis'
import type { Fleet } from '../fleet.ts'
import { endLeases } from '../judged-rows.ts'
import { apiOf } from '../judged-traffic.ts'
import { readLog } from '../logged-exchanges.ts'
import { choose } from '../workspace-with.ts'
import type { Fault } from './describe-fault.ts'

/** Tag of all exchanges that work uses. */
const workTag = 'work'

/** Enables logging for an unused workspace and logs exchanges; resolves with their UUIDs, in order. */
export async function logExchanges(fault: Fault, count: number): Promise<readonly string[]> {
  const { fleet } = fault
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  for (let index = 0; index < count; index++) {
    const content = `What is the weather like in town ${index}?`
    await fault.ask({ model: 'sim/quality-0.6', content, headers: { 'x-svc-tag': workTag } })
  }
  const rows = await eventually(
    async () => {
      const rows = await readLog(fleet, fleet.workspace.workspaceId)
      return rows.length === count ? rows : null
    },
    { withinMs: 45_000, everyMs: 100 },
  )
  return rows.map(({ id }) => id).toSorted()
}

/** Ends the locks of jobs and the leases of work, which would otherwise take time. */
export async function endLocks(fleet: Fleet): Promise<void> {
  const redis = new Redis(fleet.redisUrl)
  await redis.flushdb()
  await redis.quit()
  await endLeases(fleet)
}

/** Creates an eval over the logged exchanges; resolves with its path in the API. */
export async function orderEval({ fleet }: Fault, samples: number): Promise<string> {
  const { status, json, text } = await apiOf(fleet, fleet.workspace)('POST', '/evals', {
    name: 'Which model',
    rubric: 'The answer is right and complete.',
    baseline_model: 'sim/medium',
    candidate_models: ['sim/small'],
    sample_count: samples,
    sample_filters: { tag: workTag },
    judge_model: 'sim/judge-0.9-0.9',
    seed: 7,
  })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return `/evals/${json.id}`
}
