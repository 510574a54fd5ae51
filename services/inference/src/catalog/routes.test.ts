import { randomBytes } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { signAsCaller } from '@ratchet/testing/sign-as-caller'
import request from 'supertest'
import { testDeps, testNow } from '../app.fixture.ts'
import { createApp } from '../app.ts'
import { testWorkspaceId } from '../request/request-records.fixture.ts'
import { catalogOf, modelEntry } from './catalog.fixture.ts'

const key = { id: 'k1', secret: randomBytes(32) }
const silent = {
  dialects: new Set(['chat'] as const),
  start: () => Promise.reject(new Error('the provider must not be called')),
}
const training = { trainers: ['sim'], supervised_per_mtok: '0.80', lora_ranks: [8], license: 'MIT' } as const
const catalog = catalogOf(
  [modelEntry('acme/fast'), modelEntry('other/fast'), modelEntry('other/slow', { training })],
  ['other'],
)
const app = createApp(testDeps(silent as never, { catalog, identityKeys: [key] }))

async function modelsNamed(name: string): Promise<readonly string[]> {
  return read(`/internal/catalog/names/${encodeURIComponent(name)}`)
}

async function read<T>(path: string): Promise<T> {
  const bound = { audience: 'inference', requestId: 'r1', method: 'GET', path }
  const identity = {
    workspaceId: testWorkspaceId,
    userId: testWorkspaceId,
    role: 'admin',
    keyId: testWorkspaceId,
  } as const
  const signed = signAsCaller(key, bound, identity, testNow().getTime())
  const { body } = await request(app)
    .get(path)
    .set({ [requestIdHeader]: 'r1', [identityHeader]: signed })
  return body.models
}

it.each([
  ['acme/fast', ['acme/fast']],
  ['fast', ['acme/fast', 'other/fast']],
  ['slow', ['other/slow']],
  ['support', []],
])('finds the models that %s names, also of a provider without a key', async (name, ids) => {
  expect([...(await modelsNamed(name))].sort()).toEqual(ids)
})

it('lists models that can be trained, also of a provider without a key', async () => {
  expect(await read('/internal/catalog/trainable')).toEqual([
    {
      id: 'other/slow',
      upstream_model: expect.any(String),
      context_window: expect.any(Number),
      training: { ...training, full: false, supports_tools: false },
    },
  ])
})
