import { catalogOf, modelEntry } from '../catalog/catalog.fixture.ts'
import { resolveModel } from './resolve-model.ts'

const catalog = catalogOf(
  [
    modelEntry('openai/gpt-4o-mini'),
    modelEntry('groq/openai/gpt-oss-120b'),
    modelEntry('groq/llama'),
    modelEntry('together/llama'),
    modelEntry('together/Qwen/Qwen3'),
    modelEntry('sim/slow-<ms>', { pattern: '^sim/slow-\\d+$' }),
  ],
  ['mistral'],
)

function resolve(name: string, ...configured: string[]) {
  const resolution = resolveModel({ catalog, configuredProviders: new Set(configured), name })
  return resolution.kind === 'found' ? resolution.model.id : `${resolution.code}: ${resolution.message}`
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
