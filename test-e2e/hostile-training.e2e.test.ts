import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { toFile } from 'openai'
import { openaiFor } from './clients.ts'
import { type Api, apiOf, type Json } from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

/* What a workspace tries with training that costs it nothing. */

let fleet: SharedFleet
let operator: Pool

beforeAll(async () => {
  fleet = await shareFleet()
  operator = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
}, 300_000)
afterAll(() => operator?.end())

const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value)

const defaultQuotaBytes = 10 * 1_024 ** 3
const examples = Array.from({ length: 40 }, (_, index) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `Where is parcel ${index}?` },
      { role: 'assistant', content: `Parcel ${index} comes on day ${index}.` },
    ],
  }),
).join('\n')

async function setStored(workspaceId: string, bytes: number): Promise<void> {
  await operator.query(`UPDATE stored_bytes SET bytes = $2 WHERE workspace_id = $1`, [workspaceId, bytes])
}

async function storedBy(workspaceId: string): Promise<number> {
  const { rows } = await operator.query<{ bytes: string }>(
    'SELECT coalesce(sum(bytes), 0) AS bytes FROM stored_bytes WHERE workspace_id = $1',
    [workspaceId],
  )
  return Number(rows[0]?.bytes)
}

/** A job that costs at most a micro-dollar, when it has ended and holds nothing. Another seed has other examples to train on. */
async function endedJob(api: Api, trainingFile: string, seed: number): Promise<Json> {
  const order = { model: 'sim/small', trainingFile, seed, maxCostUsd: 0.000001 }
  const { status, json } = await api('POST', '/fine_tuning/jobs', order)
  expect(status).toBe(200)
  return eventually(
    async () => {
      const { json: job } = await api('GET', `/fine_tuning/jobs/${json.id}`)
      return ['succeeded', 'failed', 'cancelled'].includes(job.status) && job.held_usd === 0 ? job : null
    },
    { withinMs: 60_000, everyMs: 100 },
  )
}

it('copies no more examples of jobs than the workspace may store', async () => {
  const workspace = await workspaceWith(fleet)
  const api = apiOf(fleet, workspace)
  const file = await toFile(Buffer.from(examples), 'train.jsonl')
  const { id } = await openaiFor(fleet, workspace).files.create({ file, purpose: 'fine-tune' })
  const before = await storedBy(workspace.workspaceId)
  expect(before).toBe(examples.length)

  expect(await endedJob(api, id, 1)).toMatchObject({ status: 'succeeded' })
  // They are kept for a day, although the job has ended.
  const after = await storedBy(workspace.workspaceId)
  expect(after).toBeGreaterThan(before + Math.ceil(examples.length / 2))

  await setStored(workspace.workspaceId, defaultQuotaBytes - Math.ceil(examples.length / 2))
  expect(await endedJob(api, id, 2)).toMatchObject({
    status: 'failed',
    error: { code: 'quota_exceeded', message: expect.stringContaining('as many bytes as it may') },
    cost_usd: 0,
  })
  expect(await storedBy(workspace.workspaceId)).toBe(defaultQuotaBytes - Math.ceil(examples.length / 2))

  await setStored(workspace.workspaceId, after)
  expect(await endedJob(api, id, 3)).toMatchObject({ status: 'succeeded' })
}, 180_000)

it.each([-1, 0, 1e308, 1e-12, '5', null])('starts nothing for at most %j dollars', async (maxCostUsd) => {
  const api = apiOf(fleet, await workspaceWith(fleet))
  const run = { baseModel: 'sim/small', datasetId: 'ds_1', reward: { functions: [{ type: 'length' }] }, maxCostUsd }
  expect((await api('POST', '/grpo/runs', run)).status).toBe(400)
  if (maxCostUsd === null) return
  expect((await api('POST', '/fine_tuning/jobs', { model: 'sim/small', datasetId: 'ds_1', maxCostUsd })).status).toBe(
    400,
  )
})

/** A pattern whose characters may all follow each other. */
const crowded = `(?:${Array.from({ length: 250 }, () => '.').join('|')})*b`

async function requireWith({ status, json }: { readonly status: number; readonly json: Json }, expected: number) {
  expect([status, json]).toEqual([expected, expect.anything()])
  return json
}

/** Ways to keep the service busy for hours with one request, if it were not limited. */
const slowRequests: readonly [string, (api: Api) => Promise<unknown>][] = [
  [
    'patterns of rewards',
    async (api) => {
      const functions = times(8, { type: 'regex', pattern: crowded })
      const sample = {
        messages: [{ role: 'user', content: '?' }],
        completion: [{ role: 'assistant', content: 'a'.repeat(75_000) }],
      }
      return requireWith(
        await api('POST', '/grpo/rewards/test', { reward: { functions }, samples: times(50, sample) }),
        200,
      )
    },
  ],
  [
    'schemas of rewards',
    async (api) => {
      const functions = times(8, { type: 'json_schema', schema: { allOf: times(25, { uniqueItems: true }) } })
      const content = JSON.stringify(Array.from({ length: 4_900 }, (_, index) => [index]))
      const sample = { messages: [{ role: 'user', content: '?' }], completion: [{ role: 'assistant', content }] }
      return requireWith(
        await api('POST', '/grpo/rewards/test', { reward: { functions }, samples: times(50, sample) }),
        200,
      )
    },
  ],
  [
    'schemas of tools',
    async (api) => {
      const parameters = { type: 'object', properties: { a: { allOf: times(120, { uniqueItems: true }) } } }
      const tool = { name: 'slow', description: '', parameters, kind: 'static', static: { result: 1 } }
      const { id } = await requireWith(await api('POST', '/environment_tools', tool), 201)
      const a = Array.from({ length: 1_900 }, (_, index) => [index])
      return requireWith(await api('POST', `/environment_tools/${id}/test`, { arguments: { a } }), 200)
    },
  ],
]

it.each(slowRequests)(
  'answers others while a workspace sends slow %s',
  async (_name, attack) => {
    const [attacker, other] = [apiOf(fleet, await workspaceWith(fleet)), apiOf(fleet, await workspaceWith(fleet))]
    await other('GET', '/fine_tuning/jobs')
    let isOver = false
    const attacked = attack(attacker).finally(() => {
      isOver = true
    })
    const waits: number[] = []
    while (!isOver || waits.length < 20) {
      const startedAt = performance.now()
      expect((await other('GET', '/fine_tuning/jobs')).status).toBe(200)
      waits.push(performance.now() - startedAt)
    }
    await attacked
    const [slowest = 0] = waits.toSorted((a, b) => b - a)
    expect(slowest).toBeLessThan(2_000)
  },
  120_000,
)
