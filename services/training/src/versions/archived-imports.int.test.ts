import { sweepArtifacts } from '../artifacts/sweep-artifacts.ts'
import { writeSafetensors } from '../trainers/sim/write-safetensors.ts'
import { type VersionApp, versionApp } from './version-app.fixture.ts'

let app: VersionApp
beforeAll(async () => {
  app = await versionApp()
})
afterAll(() => app.drop())

const values = new Float32Array(8 * 4)
const adapter = writeSafetensors([
  { name: 'base_model.model.layers.0.q_proj.lora_A.weight', shape: [8, 4], values },
  { name: 'base_model.model.layers.0.q_proj.lora_B.weight', shape: [4, 8], values },
])
const config = { peft_type: 'LORA', r: 8, base_model_name_or_path: 'sim/small' }
const fields = { baseModel: 'sim/small', name: 'mine', adapterConfig: JSON.stringify(config) }

async function storedBytes(): Promise<number> {
  const text = 'SELECT coalesce(sum(bytes), 0)::int AS bytes FROM stored_bytes WHERE workspace_id = $1'
  return (await app.run.operator.query(text, [app.workspaceId])).rows[0].bytes
}
const sweep = () => sweepArtifacts({ artifacts: app.run.artifacts, rows: app.run.artifactRows, now: () => new Date() })
const passDays = (table: string, column: string) =>
  app.run.operator.query(`UPDATE ${table} SET ${column} = ${column} - interval '2 days'`)

it('gives the bytes of an imported version back a day after it was archived, and not before', async () => {
  const { body } = await app.upload(fields, adapter)
  const path = `/v1/model_versions/${body.id}`
  const bytes = await storedBytes()
  expect(bytes).toBeGreaterThan(adapter.length)
  expect((await app.send('get', `${path}/download`)).status).toBe(200)
  await passDays('artifact', 'created_at')
  await sweep()
  expect(await storedBytes()).toBe(bytes)
  expect((await app.send('post', `${path}/archive`)).status).toBe(200)
  // Importing and archiving again and again must not be free.
  await sweep()
  expect(await storedBytes()).toBe(bytes)
  expect((await app.send('get', `${path}/download`)).status).toBe(404)
  await passDays('model_version', 'archived_at')
  await sweep()
  expect(await storedBytes()).toBe(0)
  const { rows } = await app.run.operator.query('SELECT 1 FROM artifact')
  expect(rows).toEqual([])
  expect((await app.send('get', path)).body).toMatchObject({ status: 'archived' })
})
