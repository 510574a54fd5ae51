import { ModelEntry, ProviderEntry } from './catalog-file.ts'

const chatModel = {
  id: 'acme/fast',
  provider: 'acme',
  upstream_model: 'fast-2',
  kind: 'chat',
  context_window: 128_000,
  max_output_tokens: 16_384,
  input_per_mtok: '0.15',
  cached_input_per_mtok: '0.075',
  output_per_mtok: '0.60',
  capabilities: ['chat', 'streaming'],
}

const tier = (above: number, input: string, output: string) => ({
  above_prompt_tokens: above,
  input_per_mtok: input,
  cached_input_per_mtok: null,
  output_per_mtok: output,
})

const training = { trainers: ['sim'], supervised_per_mtok: '0.80', lora_ranks: [8, 64], license: 'Apache-2.0' }

const provider = {
  id: 'acme',
  name: 'Acme',
  adapter: 'openai',
  base_url: 'https://api.acme.test/v1',
  api_key_env: 'ACME_API_KEY',
}

/** The problems of an entry, as `field: message`. */
function problemsOf(schema: typeof ModelEntry | typeof ProviderEntry, entry: unknown): string[] {
  const parsed = schema.safeParse(entry)
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

describe('ModelEntry', () => {
  it.each([
    ['a plain model', {}],
    ['a model without a cached price', { cached_input_per_mtok: null }],
    ['a free model', { input_per_mtok: '0', cached_input_per_mtok: '0', output_per_mtok: '0' }],
    ['a price of fractions of a nano-dollar per token', { cached_input_per_mtok: '0.0375' }],
    ['tiers in ascending order', { price_tiers: [tier(32_000, '0.30', '0.60'), tier(64_000, '0.30', '0.90')] }],
    [
      'tiers with a price of long caches',
      {
        cache_write_1h_per_mtok: '0.30',
        price_tiers: [{ ...tier(64, '0.30', '0.60'), cache_write_1h_per_mtok: '0.60' }],
      },
    ],
    ['an embedding model', { kind: 'embedding', max_output_tokens: 0, output_per_mtok: '0' }],
    ['a family', { id: 'acme/slow-<ms>', pattern: '^acme/slow-\\d{1,7}$' }],
    ['a model that can be trained', { training }],
    ['a price per image', { kind: 'image', per_image: '0.04' }],
    ['a price per character', { kind: 'speech', max_output_tokens: 0, per_character: '0.000015' }],
    ['a price per search', { kind: 'rerank', max_output_tokens: 0, per_search: '0.002', per_request: null }],
  ])('accepts %s', (_, change) => {
    expect(problemsOf(ModelEntry, { ...chatModel, ...change })).toEqual([])
  })

  it.each([
    [
      { input_per_mtok: 0.15 },
      ['input_per_mtok: must be a decimal string from "0" to "10000" with at most 6 decimals'],
    ],
    [
      { input_per_mtok: '-1' },
      ['input_per_mtok: must be a decimal string from "0" to "10000" with at most 6 decimals'],
    ],
    [
      { input_per_mtok: '10000.01' },
      ['input_per_mtok: must be a decimal string from "0" to "10000" with at most 6 decimals'],
    ],
    [
      { output_per_mtok: '1e3' },
      ['output_per_mtok: must be a decimal string from "0" to "10000" with at most 6 decimals'],
    ],
    [{ per_search: '101' }, ['per_search: must be a decimal string from "0" to "100" with at most 9 decimals']],
    [{ cached_input_per_mtok: '0.16' }, ['cached_input_per_mtok: must not exceed input_per_mtok']],
    [{ id: 'other/fast' }, ['id: must start with "acme/"']],
    [{ id: 'acme/fast model' }, ['id: must be visible ASCII without spaces']],
    [{ max_output_tokens: 128_001 }, ['max_output_tokens: must not exceed context_window']],
    [{ max_output_tokens: 0 }, ['max_output_tokens: must be at least 1 for a chat model']],
    [{ price_tiers: [tier(64, '1', '1'), tier(64, '1', '1')] }, ['price_tiers.1: must be in ascending order']],
    [{ price_tiers: [tier(64, '0.15', '0.59')] }, ['price_tiers.0: must not be cheaper than shorter prompts']],
    [
      { cache_write_1h_per_mtok: '0.30', price_tiers: [tier(64, '0.30', '0.60')] },
      ['price_tiers.0.cache_write_1h_per_mtok: is required, because shorter prompts have it'],
    ],
    [{ pattern: '(a?)*' }, ['pattern: is not a valid pattern: "*" at offset 4 is not understood']],
    [{ price: '1' }, [': Unrecognized key: "price"']],
    [{ training: { ...training, supervised_per_mtok: undefined } }, ['training: must have a price']],
    [{ training: { ...training, max_context: 128_001 } }, ['training.max_context: must not exceed context_window']],
    [
      { training, kind: 'embedding', max_output_tokens: 0 },
      ['training: is only for a chat model that is not a family'],
    ],
    [{ training, pattern: '^acme/fast$' }, ['training: is only for a chat model that is not a family']],
  ])('refuses %j and names the field', (change, problems) => {
    expect(problemsOf(ModelEntry, { ...chatModel, ...change })).toEqual(problems)
  })

  it('requires every price, so that an unpriced model cannot be in the catalog', () => {
    const { input_per_mtok, cached_input_per_mtok, output_per_mtok, ...unpriced } = chatModel
    const fields = problemsOf(ModelEntry, unpriced).map((problem) => problem.split(':')[0])
    expect(fields).toEqual(['input_per_mtok', 'cached_input_per_mtok', 'output_per_mtok'])
  })
})

describe('ProviderEntry', () => {
  it('accepts http and https base URLs without a slash at the end', () => {
    expect(problemsOf(ProviderEntry, provider)).toEqual([])
    expect(problemsOf(ProviderEntry, { ...provider, base_url: 'http://127.0.0.1:9100/v1' })).toEqual([])
  })

  it.each([
    [{ base_url: 'https://api.acme.test/v1/' }, 'base_url'],
    [{ base_url: 'ftp://api.acme.test' }, 'base_url'],
    [{ base_url: 'api.acme.test' }, 'base_url'],
    [{ adapter: 'telnet' }, 'adapter'],
    [{ api_key_env: 'acme key' }, 'api_key_env'],
    [{ id: 'Acme' }, 'id'],
  ])('refuses %j', (change, field) => {
    expect(problemsOf(ProviderEntry, { ...provider, ...change })).toEqual([expect.stringMatching(`^${field}: `)])
  })
})
