import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { toFile } from 'openai'
import { openaiFor } from './clients.ts'
import { type Api, apiOf, type Json } from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

/* What a workspace tries with fine-tuning jobs that cost it nothing. */

let fleet: SharedFleet
let operator: Pool

beforeAll(async () => {
  fleet = await shareFleet()
  operator = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
}, 300_000)
afterAll(() => operator?.end())

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
