import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import type { VersionRoute } from '../workspace-settings/version-route.ts'
import { resolveModel } from './resolve-model.ts'

const catalog = catalogOf([
  modelEntry('acme/base', { input_per_mtok: '7.00', context_window: 100_000 }),
  modelEntry('together/base', { input_per_mtok: '3.00' }),
  modelEntry('sim/better', { input_per_mtok: '1.00', context_window: 200_000 }),
])
const name = 'ft:acme/base:team:support:k3m7q2xa'
const route: VersionRoute = {
  id: 'v1',
  name,
  baseModel: 'acme/base',
  servedAs: 'sim/better',
  pool: null,
  createdAt: new Date('2026-11-29T12:00:00Z'),
}

function resolve(changes: Partial<VersionRoute> = {}, providers = ['acme', 'sim'], asked = name) {
  const versions = new Map([[name, { ...route, ...changes }]])
  return resolveModel({ catalog, configuredProviders: new Set(providers), versions, dedicated: new Map(), name: asked })
}

it('a version answers as the model that serves it, at the price of its base', () => {
  expect(resolve()).toMatchObject({
    kind: 'found',
    model: {
      id: name,
      provider: 'sim',
      upstreamModel: catalog.find('sim/better')?.upstreamModel,
      contextWindow: 200_000,
      rates: catalog.find('acme/base')?.rates,
      priceVersion: catalog.find('acme/base')?.priceVersion,
      training: null,
    },
  })
})

it.each([
  ['whose base has no price any more', { baseModel: 'acme/gone' }, ['acme', 'sim']],
  ['whose server is gone', { servedAs: 'sim/gone' }, ['acme', 'sim']],
  ['whose server has no key', {}, ['acme']],
])('a version %s is not found', (_name, changes, providers) => {
  expect(resolve(changes, providers)).toMatchObject({ kind: 'refused', code: 'model_not_found' })
})

it('a model that the provider of the base has trained answers like the base, under the name that the provider gave it', () => {
  const trained = { baseModel: 'together/base', servedAs: 'together/team/base-ratchet-1' }
  const base = catalog.find('together/base')
  expect(resolve(trained, ['together'])).toMatchObject({
    kind: 'found',
    model: { id: name, provider: 'together', upstreamModel: 'team/base-ratchet-1', rates: base?.rates },
  })
  expect(resolve(trained, ['acme'])).toMatchObject({ kind: 'refused' })
  expect(resolve({ ...trained, baseModel: 'acme/base' }, ['acme', 'together'])).toMatchObject({ kind: 'refused' })
})

it('another name is not found, with the message of any other name', () => {
  const asked = `${name.slice(0, -1)}b`
  const refused = resolve({}, undefined, asked)
  const elsewhere = resolveModel({
    catalog,
    configuredProviders: new Set(['acme', 'sim']),
    versions: new Map(),
    dedicated: new Map(),
    name: asked,
  })
  expect(refused.kind === 'refused' && refused.message()).toBe(elsewhere.kind === 'refused' && elsewhere.message())
})

describe('a version of the pool', () => {
  const pool = { versionId: 'v1', adapter: 'mv_1-12345678', addresses: ['http://engine:8000'] }

  it('is its base with its own weights, at the price of the base, also without a key for the provider', () => {
    const { model } = resolve({ pool }, []) as { model: unknown }
    expect(model).toMatchObject({
      id: name,
      pool,
      upstreamModel: 'mv_1-12345678',
      contextWindow: 100_000,
      rates: catalog.find('acme/base')?.rates,
    })
  })

  it('is answered by what else serves it while no engine has it', () => {
    const unloaded = { ...pool, addresses: [] }
    expect(resolve({ pool: unloaded })).toMatchObject({ model: { provider: 'sim' } })
    expect(resolve({ pool: unloaded, servedAs: null })).toMatchObject({ model: { pool: unloaded } })
  })

  it('is not found without a price', () => {
    expect(resolve({ pool, baseModel: 'acme/gone' }, ['acme'])).toMatchObject({ kind: 'refused' })
  })
})
