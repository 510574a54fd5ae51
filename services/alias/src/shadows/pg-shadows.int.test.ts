import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { createWorkPlaces } from '@ratchet/work-kit/queue/work-places'
import { type WatchedAlias, watchedAlias } from '../gate/watched-alias.fixture.ts'
import { createPgShadows } from './pg-shadows.ts'
import type { LeasedShadow } from './shadow.ts'

let own: WatchedAlias
beforeAll(async () => {
  own = await watchedAlias()
})
afterAll(() => own.drop())

/** Shadow requests of a workspace that are due for this many minutes. */
async function add(count: number, { workspaceId, minutes }: { workspaceId: string; minutes: number }): Promise<void> {
  const alias = await own.put({ canary_percent: 0, gate_mode: null, shadow_model: 'sim/medium', shadow_percent: 100 })
  const text = `
    INSERT INTO shadow_sample (id, alias_id, workspace_id, log_id, model, due_at, created_at)
    SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), 'sim/medium', now() - $3 * interval '1 minute', now()
    FROM generate_series(1, $4)`
  await own.operator.query(text, [alias.id, workspaceId, minutes, count])
}

it('many older requests of one workspace do not delay that of another', async () => {
  const [many, one] = [randomUUID(), randomUUID()]
  await add(200, { workspaceId: many, minutes: 60 })
  const started: string[] = []
  const over = Promise.withResolvers<void>()
  const places = createWorkPlaces<LeasedShadow>({
    take: createPgShadows(own.pool).take,
    process: async ({ workspaceId }) => {
      started.push(workspaceId)
      await over.promise
    },
    workspaceOf: ({ workspaceId }) => workspaceId,
    concurrency: 4,
    onError: (error) => expect(error).toBeUndefined(),
    onProgress() {},
  })
  await places.fill()
  await add(1, { workspaceId: one, minutes: 0 })
  await places.fill()
  await eventually(() => expect(started).toEqual([many, many, many, many, one]))
  const stopped = places.stop()
  over.resolve()
  await stopped
})
