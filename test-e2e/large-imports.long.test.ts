import { openAsBlob } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryGrowthMb } from './faults/resident-memory.ts'
import { type Fleet, startFleet } from './fleet.ts'

/* Adapters of the largest size that is taken: they go to the store as they arrive. */

let fleet: Fleet
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'large-imports-'))
  fleet = await startFleet({ training: true })
}, 300_000)
afterAll(async () => {
  await fleet?.stop()
  await rm(folder, { recursive: true, force: true })
}, 180_000)

const mebibyte = 1_048_576

/** An adapter of rank 8 with so many bytes of zeros, which are not on the disk. */
async function adapterOf(bytes: number): Promise<string> {
  const width = bytes / (2 * 8 * 4)
  const tensors = {
    'base_model.model.layers.0.q_proj.lora_A.weight': { dtype: 'F32', shape: [8, width], data_offsets: [0, bytes / 2] },
    'base_model.model.layers.0.q_proj.lora_B.weight': {
      dtype: 'F32',
      shape: [width, 8],
      data_offsets: [bytes / 2, bytes],
    },
  }
  const header = Buffer.from(JSON.stringify(tensors))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  const path = join(folder, `${bytes}.safetensors`)
  const file = await open(path, 'w')
  await file.write(Buffer.concat([length, header]))
  await file.truncate(8 + header.length + bytes)
  await file.close()
  return path
}

async function importOf(path: string, name: string) {
  const form = new FormData()
  const config = { peft_type: 'LORA', r: 8, base_model_name_or_path: 'sim/small' }
  for (const [field, value] of Object.entries({
    baseModel: 'sim/small',
    name,
    adapterConfig: JSON.stringify(config),
  })) {
    form.append(field, value)
  }
  form.append('file', await openAsBlob(path), 'adapter_model.safetensors')
  const answer = await fetch(`${fleet.url}/v1/model_versions/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fleet.workspace.apiKey}` },
    body: form,
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
  return { status: answer.status, json: (await answer.json()) as any }
}

it('takes an adapter of 510 MB, and no process has much of it in memory', async () => {
  const bytes = 510 * mebibyte
  const path = await adapterOf(bytes)
  let imported = { status: 0, json: null as unknown }
  const grownMb = await memoryGrowthMb([...fleet.edges, fleet.training], async () => {
    imported = await importOf(path, 'large')
  })
  expect(imported).toMatchObject({ status: 201, json: { status: 'candidate', adapter: { rank: 8 } } })
  expect(grownMb).toBeLessThan(200)
}, 180_000)

it('refuses a larger one, and stores nothing of it', async () => {
  const path = await adapterOf(520 * mebibyte)
  const refused = await importOf(path, 'too-large').catch((error: unknown) => ({ status: 413, json: error }))
  expect(refused.status).toBe(413)
  const listed = await fetch(`${fleet.url}/v1/model_versions`, {
    headers: { authorization: `Bearer ${fleet.workspace.apiKey}` },
  })
  expect(await listed.json()).toMatchObject({ total: 1 })
}, 180_000)
