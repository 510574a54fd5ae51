import { fleetIdentity } from '@ratchet/contracts/identity'
import { publicId } from '@ratchet/contracts/public-id'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { StoredVersion } from '../versions/model-version.ts'
import { readBody } from './read-body.ts'
import { findWarmStart } from './warm-start.ts'

const uuid = '00000000-0000-7000-8000-000000000009'
const id = publicId('modelVersion', uuid)
const name = 'ft:sim/small:acme::k3m7q2xa'
const stored = { id: uuid, name, baseModel: 'sim/small', adapterRank: 8, isArchived: false }

async function find(body: object, changes: Partial<StoredVersion> = {}) {
  const version = { ...stored, ...changes } as StoredVersion
  const versions = {
    get: async ({ id: asked }: { readonly id: string }) => (asked === uuid ? version : null),
    named: async ({ name: asked }: { readonly name: string }) => (asked === name ? version : null),
  }
  const { request } = readBody({ datasetId: 'ds_1', ...body })
  const found = await findWarmStart({ versions }, fleetIdentity, request).catch((error: unknown) => {
    if (error instanceof ServiceError) return error
    throw error
  })
  if (found instanceof ServiceError) return { code: found.code, param: found.param }
  return found === null ? null : { id: found.id, rank: found.rank, model: found.requestOf(request).model }
}

const start = { id: uuid, rank: 8, model: 'sim/small' }

it('a model of the catalog is no version', async () => {
  expect(await find({ model: 'sim/small' })).toBeNull()
})

it.each([
  ['its name as the model', { model: name }],
  ['its id as the model', { model: id }],
  ['its id beside the base', { model: 'sim/small', warmStartFrom: id }],
  ['its name beside the base', { model: 'sim/small', warm_start_from: name }],
  ['both', { model: name, warmStartFrom: id }],
])('a version is found by %s, and its base is trained', async (_name, body) => {
  expect(await find(body)).toEqual(start)
})

const hyperparameters = (more: object) => ({ method: { type: 'supervised', supervised: { hyperparameters: more } } })

it.each([
  ['an unknown version', { model: 'sim/small', warmStartFrom: 'ft:other' }, {}, 'not_found', 'warmStartFrom'],
  ['an unknown name as the model', { model: 'ft:other' }, {}, 'not_found', 'model'],
  ['another base', { model: 'sim/large', warmStartFrom: id }, {}, 'invalid_request', 'model'],
  ['all weights', { model: id, training: 'full' }, {}, 'invalid_request', 'training'],
  ['one that is archived', { model: id }, { isArchived: true }, 'conflict', 'model'],
  ['one without an adapter', { model: id }, { adapterRank: null }, 'invalid_request', 'model'],
  [
    'another rank',
    { model: id, ...hyperparameters({ loraRank: 16 }) },
    {},
    'invalid_request',
    'method.supervised.hyperparameters.loraRank',
  ],
])('refuses %s', async (_name, body, changes, code, param) => {
  expect(await find(body, changes)).toEqual({ code, param })
})

it('takes its own rank when it is named', async () => {
  expect(await find({ model: id, ...hyperparameters({ loraRank: 8 }) })).toEqual(start)
})
