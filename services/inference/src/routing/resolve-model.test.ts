import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { resolveModel } from './resolve-model.ts'

const catalog = catalogOf(
  [
    modelEntry('openai/gpt-4o-mini', { also_known_as: ['quick'] }),
    modelEntry('groq/openai/gpt-oss-120b'),
    modelEntry('groq/llama'),
    modelEntry('together/llama'),
    modelEntry('together/Qwen/Qwen3'),
    modelEntry('sim/slow-<ms>', { pattern: '^sim/slow-\\d+$' }),
  ],
  ['mistral'],
)

const noVersions = new Map()
const noEndpoints = new Map()

function resolve(name: string, ...configured: string[]) {
  const resolution = resolveModel({
    catalog,
    configuredProviders: new Set(configured),
    versions: noVersions,
    dedicated: noEndpoints,
    name,
  })
  return resolution.kind === 'found' ? resolution.model.id : `${resolution.code}: ${resolution.message()}`
}

describe('resolveModel', () => {
  it.each([
    ['openai/gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['groq/openai/gpt-oss-120b', 'groq/openai/gpt-oss-120b'],
    ['sim/slow-20', 'sim/slow-20'],
    ['gpt-4o-mini', 'openai/gpt-4o-mini'],
    ['Qwen/Qwen3', 'together/Qwen/Qwen3'],
  ])('finds %s as %s', (name, id) => {
    expect(resolve(name, 'openai', 'groq', 'together', 'sim')).toBe(id)
  })

  it.each([
    ['another name of it', 'quick'],
    ['another name with its prefix', 'openai/quick'],
    ['a dated snapshot of its family', 'gpt-4o-mini-2024-07-18'],
    ['one with its prefix', 'openai/gpt-4o-mini-20240718'],
    ['one as Vertex writes it', 'gpt-4o-mini@20240718'],
    ['the latest of its family', 'gpt-4o-mini-latest'],
    ['the name with the size of a context', 'gpt-4o-mini[1m]'],
    ['another name, dated', 'quick-2025-01-01'],
    ['a spelling without a slash', 'openai:gpt-4o-mini'],
  ])('finds a model by %s', (_name, name) => {
    expect(resolve(name, 'openai', 'groq')).toBe('openai/gpt-4o-mini')
  })

  it.each(['groq/quick', 'gpt-4o-mini-20249918', 'gpt-4o-mini-2024', 'acme:gpt-4o-mini'])(
    'does not find %s',
    (name) => {
      expect(resolve(name, 'openai', 'groq')).toMatch(/^model_not_found/)
    },
  )

  it.each([
    ['gpt-4o-mni', 'openai/gpt-4o-mini'],
    ['openai/gpt4o-mini', 'openai/gpt-4o-mini'],
    ['lama', 'groq/llama'],
  ])('says of %s which callable models are spelled like it', (name, id) => {
    expect(resolve(name, 'openai', 'groq')).toMatch(new RegExp(`Did you mean ${id}`))
  })

  it('compares names once, and only for a message', () => {
    const compared: string[] = []
    const alike = (name: string) => {
      compared.push(name)
      return []
    }
    const configuredProviders = new Set(['openai'])
    const resolution = resolveModel({
      catalog: { ...catalog, alike },
      configuredProviders,
      versions: noVersions,
      dedicated: noEndpoints,
      name: 'gpt-4-latest',
    })
    expect(compared).toEqual([])
    expect(resolution.kind === 'refused' && resolution.message()).toMatch('not in the catalog')
    expect(compared).toEqual(['gpt-4-latest'])
  })

  it('remembers the result for a name and the providers with a key', () => {
    const alike = () => catalog.alike('gpt-4o-mni', new Set(['openai']))
    expect(alike()).toEqual(['openai/gpt-4o-mini'])
    expect(alike()).toBe(alike())
    expect(catalog.alike('gpt-4o-mni', new Set(['groq']))).toEqual([])
  })

  it('finds an unprefixed name when a single provider with a key offers it', () => {
    expect(resolve('llama', 'together')).toBe('together/llama')
  })

  it('lists the candidates when several providers with a key offer an unprefixed name', () => {
    expect(resolve('llama', 'groq', 'together')).toBe(
      'model_not_found: Several providers offer "llama"; name one of: groq/llama, together/llama.',
    )
  })

  it('names the providers without a key when none of an unprefixed name has one', () => {
    expect(resolve('gpt-4o-mini')).toBe(
      'model_not_found: No key is configured for a provider of "gpt-4o-mini" (openai).',
    )
  })

  it.each(['openai/gpt-4o-mini', 'openai/unheard-of', 'mistral/large', 'sim/slow-1'])(
    'refuses %s as unknown_provider while its provider has no key',
    (name) => {
      expect(resolve(name, 'groq')).toMatch(/^unknown_provider: No key is configured for the provider/)
    },
  )

  it.each([
    'gpt-5000',
    'openai/gpt-5000',
    'acme/fast',
    'sim/slow-x',
    '/gpt-4o-mini',
    'openai/',
    '',
    '__proto__',
    'constructor',
  ])('refuses %j as model_not_found', (name) => {
    expect(resolve(name, 'openai', 'sim')).toMatch(/^model_not_found: The model ".*" is not in the catalog\./)
  })

  it('never sends a prompt to a provider other than the named one, but names the providers that have the model', () => {
    expect(resolve('openai/gpt-oss-120b', 'openai', 'groq')).toBe(
      'model_not_found: The model "openai/gpt-oss-120b" is not in the catalog. Did you mean groq/openai/gpt-oss-120b?',
    )
  })

  it('finds no dedicated endpoint', () => {
    expect(resolve('dedicated/abc', 'openai')).toMatch(/^dedicated_endpoint_not_found: /)
  })

  it('answers hostile names on one short line', () => {
    const message = resolve(`a\r\nX-Injected: 1${'x'.repeat(1_000_000)}`)
    expect(message.length).toBeLessThan(300)
    expect(message).not.toMatch(/[\r\n]/)
  })
})
