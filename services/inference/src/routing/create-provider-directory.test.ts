import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import type { CatalogModel } from '../catalog/catalog.ts'
import { noReplicas } from '../dedicated/no-replicas.fixture.ts'
import type { Provider } from '../wire/provider.ts'
import { defaultSettings, type ProviderKey, type WorkspaceSettings } from '../workspace-settings/workspace-settings.ts'
import { createProviderDirectory, type DirectoryOptions, type Place } from './create-provider-directory.ts'

const keys: Readonly<Record<string, string>> = { KEY: 'platform', EU_KEY: 'platform-eu' }
const own: ProviderKey = { id: 'own-1', apiKey: 'brought', baseUrl: null }
const brought: WorkspaceSettings = { ...defaultSettings, providerKeys: new Map([['acme', own]]) }
const models = [
  modelEntry('acme/plain'),
  modelEntry('acme/other'),
  modelEntry('acme/placed', {
    deployments: [
      { id: 'us', weight: 3, max_concurrency: 2 },
      { id: 'eu', base_url: 'https://eu.acme.test', api_key_env: 'EU_KEY', upstream_model: 'placed-eu' },
      { id: 'ap', api_key_env: 'AP_KEY' },
    ],
  }),
  modelEntry('acme/elsewhere', { deployments: [{ id: 'ap', api_key_env: 'AP_KEY' }] }),
  modelEntry('idle/model'),
]
const catalog = catalogOf(models)

function directory(changes: Partial<DirectoryOptions> = {}) {
  const places: Place[] = []
  const ofWorkspaces: string[] = []
  const provider = (): Provider => ({
    dialects: new Set(['chat']),
    start: () => ({ abort() {}, pause() {}, resume() {} }),
  })
  const built = createProviderDirectory({
    catalog,
    keyOf: (variable, { id }) => (id === 'idle' ? null : (keys[variable] ?? null)),
    baseUrlOf: ({ baseUrl }) => baseUrl,
    createProvider: (place) => {
      places.push(place)
      return provider()
    },
    workspaceProvider: ({ id }, key, workspaceId) => {
      ofWorkspaces.push(`${workspaceId} ${id} ${key.apiKey}`)
      return provider()
    },
    replicas: noReplicas,
    concurrencyMax: 5,
    clockMs: () => 0,
    random: () => 0,
    onEjected() {},
    ...changes,
  })
  return { directory: built, places, ofWorkspaces }
}

function model(id: string): CatalogModel {
  const found = catalog.find(id)
  if (found === null) throw new Error(`no model ${id}`)
  return found
}

const plainWorkspace = { workspaceId: 'w1', settings: defaultSettings }
const bringer = { workspaceId: 'w1', settings: brought }

/** Number of calls that fit in at once. */
function room({ health }: { health: { tryEnter(): boolean } }): number {
  let entered = 0
  while (entered < 100 && health.tryEnter()) entered += 1
  return entered
}

describe('createProviderDirectory', () => {
  it('has the providers with a platform key and those with a key of the workspace', () => {
    const { directory: ours } = directory()
    expect([...ours.configured(defaultSettings)]).toEqual(['acme'])
    const settings = { ...defaultSettings, providerKeys: new Map([['idle', own]]) }
    expect([...ours.configured(settings)]).toEqual(['acme', 'idle'])
    expect([...ours.configured(defaultSettings)]).toEqual(['acme'])
  })

  it('does not have a provider whose workspace key cannot be used, even with a platform key', () => {
    const settings = { ...defaultSettings, unusableProviders: new Set(['acme']) }
    expect([...directory().directory.configured(settings)]).toEqual([])
  })

  it('runs a model at its provider when it names no other place', () => {
    const { directory: ours, places } = directory()
    const { deployments } = ours.deploymentsOf(model('acme/plain'), plainWorkspace)
    expect(deployments).toMatchObject([{ id: 'acme/plain', upstreamModel: 'plain', weight: 1 }])
    expect(places).toEqual([{ adapter: 'openai', baseUrl: 'https://api.acme.test/v1', apiKey: 'platform' }])
    expect(deployments.map(room)).toEqual([5])
  })

  it('runs it at the places that it names and that have a key, with the provider`s defaults', () => {
    const { directory: ours, places } = directory()
    const { deployments } = ours.deploymentsOf(model('acme/placed'), plainWorkspace)
    expect(deployments).toMatchObject([
      { id: 'acme/placed@us', upstreamModel: 'placed', weight: 3 },
      { id: 'acme/placed@eu', upstreamModel: 'placed-eu', weight: 1 },
    ])
    expect(places.map(({ baseUrl, apiKey }) => [baseUrl, apiKey])).toEqual([
      ['https://api.acme.test/v1', 'platform'],
      ['https://eu.acme.test', 'platform-eu'],
    ])
    expect(deployments.map(room)).toEqual([2, 5])
  })

  it('runs it at its provider when none of its places has a key', () => {
    const { directory: ours } = directory()
    expect(ours.deploymentsOf(model('acme/elsewhere'), plainWorkspace).deployments).toMatchObject([
      { id: 'acme/elsewhere' },
    ])
  })

  it('shares places between models, but not their health', () => {
    const { directory: ours, places } = directory()
    const [plain, other] = [model('acme/plain'), model('acme/other')].map((each) =>
      ours.deploymentsOf(each, plainWorkspace),
    )
    expect(places).toHaveLength(1)
    expect(plain?.deployments[0]?.provider).toBe(other?.deployments[0]?.provider)
    expect(plain?.deployments[0]?.health).not.toBe(other?.deployments[0]?.health)
    expect(plain?.budget).toBe(other?.budget)
  })

  it('remembers the health of a model across requests', () => {
    const { directory: ours } = directory()
    const first = ours.deploymentsOf(model('acme/plain'), plainWorkspace)
    expect(ours.deploymentsOf(model('acme/plain'), { ...plainWorkspace, workspaceId: 'w2' })).toBe(first)
  })

  it('calls with a workspace`s own key, separately from the platform and other workspaces', () => {
    const { directory: ours, ofWorkspaces, places } = directory()
    const mine = ours.deploymentsOf(model('acme/placed'), bringer)
    const theirs = ours.deploymentsOf(model('acme/placed'), { ...bringer, workspaceId: 'w2' })
    expect(mine.deployments).toMatchObject([{ id: 'acme/placed@own-1', upstreamModel: 'placed', weight: 1 }])
    expect(ofWorkspaces).toEqual(['w1 acme brought', 'w2 acme brought'])
    expect(places).toEqual([])
    expect(mine.deployments[0]?.health).not.toBe(theirs.deployments[0]?.health)
    expect(mine.budget).not.toBe(theirs.budget)
    expect(ours.deploymentsOf(model('acme/placed'), bringer).deployments[0]?.health).toBe(mine.deployments[0]?.health)
  })

  it('starts with a new health after a key was replaced', () => {
    const { directory: ours } = directory()
    const before = ours.deploymentsOf(model('acme/plain'), bringer)
    const settings = { ...brought, providerKeys: new Map([['acme', { ...own, id: 'own-2' }]]) }
    const after = ours.deploymentsOf(model('acme/plain'), { ...bringer, settings })
    expect(after.deployments[0]?.health).not.toBe(before.deployments[0]?.health)
  })

  it('reports which deployment was ejected', () => {
    const ejected: unknown[] = []
    const { directory: ours } = directory({ onEjected: (id, forMs) => ejected.push([id, forMs]) })
    const [us] = ours.deploymentsOf(model('acme/placed'), plainWorkspace).deployments
    for (let i = 0; i < 5; i++) {
      us?.health.tryEnter()
      us?.health.leave('failed')
    }
    expect(ejected).toEqual([['acme/placed@us', 30_000]])
  })

  it('throws for a provider without a key', () => {
    expect(() => directory().directory.deploymentsOf(model('idle/model'), plainWorkspace)).toThrow('no key for idle')
  })
})
