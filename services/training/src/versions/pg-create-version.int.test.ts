import { randomUUID } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import { type TrainingRun, trainingRun } from '../driver/training-run.fixture.ts'
import type { NewVersion } from './model-version.ts'
import { createCandidateVersion } from './pg-create-version.ts'

let run: TrainingRun
beforeAll(async () => {
  run = await trainingRun()
})
afterAll(() => run?.drop())

const file = (name: string, kind: 'adapter' | 'state') => ({ name, kind, sha256: 'ab'.repeat(32), bytes: 3 })

function version(changes: Partial<NewVersion> = {}): NewVersion {
  return {
    id: randomUUID(),
    workspaceId: randomUUID(),
    baseModel: 'sim/small',
    suffix: null,
    producedBy: { type: 'fine_tuning', id: randomUUID() },
    jobId: null,
    step: 1,
    parentId: null,
    datasetId: null,
    files: [file('adapter_model.safetensors', 'adapter'), file('optimizer.pt', 'state')],
    adapterRank: 8,
    metrics: {},
    servedAs: 'sim/quality-0.70',
    createdBy: randomUUID(),
    ...changes,
  }
}

const rowOf = async (id: string) =>
  (await run.operator.query('SELECT * FROM model_version WHERE id = $1', [id])).rows[0]
const routesOf = async (workspaceId: string) => {
  const text = 'SELECT name, served_as FROM version_route WHERE workspace_id = $1'
  return (await run.operator.query(text, [workspaceId])).rows
}
const revisionOf = async (workspaceId: string) => {
  const text = 'SELECT revision FROM version_revision WHERE workspace_id = $1'
  return (await run.operator.query(text, [workspaceId])).rows[0]?.revision
}

it('creates a version once, with a route, and without the state of its training', async () => {
  const first = version()
  const name = await createCandidateVersion(run.pool, first)
  expect(await createCandidateVersion(run.pool, first)).toBe(name)
  expect(await routesOf(first.workspaceId)).toEqual([{ name, served_as: 'sim/quality-0.70' }])
  expect(await revisionOf(first.workspaceId)).toBe(1)
  const { manifest, bytes, rewarded } = await rowOf(first.id)
  expect([JSON.parse(manifest).length, bytes, rewarded]).toEqual([1, '3', false])
})

it('has no route to a version that nothing serves', async () => {
  const unserved = version({ servedAs: null })
  await createCandidateVersion(run.pool, unserved)
  expect(await routesOf(unserved.workspaceId)).toEqual([])
  expect(await revisionOf(unserved.workspaceId)).toBeUndefined()
})

it('remembers that a reward made a version, also one that it was trained from', async () => {
  const { workspaceId, ...rest } = version({ producedBy: { type: 'grpo', id: randomUUID() } })
  await createCandidateVersion(run.pool, { workspaceId, ...rest })
  const child = version({ workspaceId, parentId: rest.id })
  await createCandidateVersion(run.pool, child)
  expect([(await rowOf(rest.id)).rewarded, (await rowOf(child.id)).rewarded]).toEqual([true, true])
  const foreign = version({ parentId: rest.id })
  await createCandidateVersion(run.pool, foreign)
  expect((await rowOf(foreign.id)).rewarded).toBe(false)
})

it('each shown checkpoint of a job is a version, in the transaction in which it becomes durable', async () => {
  const id = await run.createJob()
  run.startWorker({ jobMs: 100 })
  await eventually(async () => expect((await run.job(id)).status).toBe('succeeded'))
  const checkpoints = (await run.checkpoints(id)).filter(({ servable }) => servable)
  const { rows } = await run.operator.query('SELECT * FROM model_version WHERE job_id = $1 ORDER BY step', [id])
  expect(rows.map((row) => row.id)).toEqual(checkpoints.map((checkpoint) => checkpoint.id))
  expect(rows.at(-1)).toMatchObject({ produced_by: 'fine_tuning', producer_id: id, base_model: 'sim/base' })
})
