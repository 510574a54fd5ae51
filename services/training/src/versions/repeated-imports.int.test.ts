import { writeSafetensors } from '../trainers/sim/write-safetensors.ts'
import { type VersionApp, versionApp } from './version-app.fixture.ts'

let app: VersionApp
beforeAll(async () => {
  app = await versionApp()
})
afterAll(() => app.drop())

const values = new Float32Array(8 * 4)
const adapter = (scale: number) =>
  writeSafetensors([
    { name: 'base_model.model.layers.0.q_proj.lora_A.weight', shape: [8, 4], values: values.map(() => scale) },
    { name: 'base_model.model.layers.0.q_proj.lora_B.weight', shape: [4, 8], values },
  ])
const config = { peft_type: 'LORA', r: 8, base_model_name_or_path: 'sim/small' }
const fields = { baseModel: 'sim/small', name: 'mine', adapterConfig: JSON.stringify(config) }

it('imports an adapter once for a key, and refuses the key for another', async () => {
  const first = await app.upload(fields, adapter(1), 'a')
  expect(first.status).toBe(201)
  const again = await app.upload(fields, adapter(1), 'a')
  expect([again.status, again.body.id, again.headers['idempotent-replay']]).toEqual([201, first.body.id, 'true'])
  for (const other of [
    await app.upload(fields, adapter(2), 'a'),
    await app.upload({ ...fields, name: 'other' }, adapter(1), 'a'),
  ]) {
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  }
  expect((await app.send('get', '/v1/model_versions')).body.total).toBe(1)
})
