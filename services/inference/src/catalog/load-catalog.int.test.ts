import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CatalogFile } from '@ratchet/contracts/catalog-file'
import { checkCatalog } from '@ratchet/contracts/check-catalog'
import { simulatedCatalog } from '@ratchet/simulated-provider/simulated-catalog'
import { costNano } from '../pricing/price.ts'
import { noUsage } from '../wire/usage.ts'
import { modelEntry } from './catalog.fixture.ts'
import { loadCatalog, readSources, shippedCatalogDir, simulatedCatalogDir } from './load-catalog.ts'

const sources = await readSources(shippedCatalogDir)
const shipped = checkCatalog([sources])

describe('the shipped catalog', () => {
  it('has no problems, so ids are unique, providers exist and prices are exact', () => {
    expect(shipped.problems).toEqual([])
  })

  it('has at least 60 models', () => {
    expect(shipped.models.length).toBeGreaterThanOrEqual(60)
  })

  it.each([
    ['OpenAI', /^openai\/(gpt|o\d)/, 10],
    ['Anthropic', /^anthropic\/claude/, 5],
    ['Google', /^google\/gemini/, 5],
    ['Meta', /\/(meta-llama\/.*llama|muse-)/i, 3],
    ['Mistral', /^mistral\//, 5],
    ['DeepSeek', /deepseek/i, 3],
    ['Qwen', /qwen/i, 5],
  ])('has models of %s', (_, pattern, least) => {
    expect(shipped.models.filter(({ entry }) => pattern.test(entry.id)).length).toBeGreaterThanOrEqual(least)
  })

  it.each(['chat', 'embedding', 'rerank'])('has %s models', (kind) => {
    expect(shipped.models.some(({ entry }) => entry.kind === kind)).toBe(true)
  })

  it.each([
    'openai',
    'anthropic',
    'google',
    'groq',
    'together',
    'fireworks',
    'mistral',
    'deepseek',
    'openrouter',
    'alibaba',
  ])('has the provider %s and the variable of its key', (id) => {
    const provider = shipped.providers.find((candidate) => candidate.id === id)
    expect(provider?.base_url).toMatch(/^https:\/\//)
    expect(provider?.api_key_env).toMatch(/_API_KEY$/)
  })

  it('states for every file when and where its prices were read', () => {
    const dates = sources.map(({ text }) => JSON.parse(text) as { as_of: string; source: string })
    expect(dates.every(({ as_of, source }) => as_of >= '2026' && as_of < '2100' && source.length > 10)).toBe(true)
  })

  it('has plausible chat prices, so that a misplaced decimal point fails here', async () => {
    const chat = (await loadCatalog()).models.filter(({ kind }) => kind === 'chat')
    const thousandTokens = { ...noUsage, promptTokens: 1_000, completionTokens: 1_000 }
    const implausible = chat.filter((model) => {
      const cost = costNano(model, thousandTokens)
      return cost < 20_000n || cost > 200_000_000n || model.rates.output < model.rates.input
    })
    expect(implausible.map(({ id }) => id)).toEqual([])
  })
})

describe('loadCatalog', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalog-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const write = (name: string, contents: object) =>
    writeFile(join(folder, name), JSON.stringify({ as_of: '2026-11-20', source: 'a price list', ...contents }))

  const acme = { id: 'acme', name: 'Acme', adapter: 'openai', base_url: 'http://acme.test/v1', api_key_env: 'ACME_KEY' }

  it('lets a mounted folder add and replace providers and models', async () => {
    await write('ours.json', {
      providers: [acme],
      models: [modelEntry('acme/fast'), modelEntry('openai/gpt-4o', { output_per_mtok: '7' })],
    })
    const catalog = await loadCatalog(folder)
    expect(catalog.find('acme/fast')?.asOf).toBe('2026-11-20')
    expect(catalog.find('openai/gpt-4o')?.listPrices.output_per_mtok).toBe('7')
    expect(catalog.find('openai/gpt-4o-mini')).not.toBeNull()
  })

  it('accepts a single mounted file, and ignores the hidden folders of a Kubernetes volume', async () => {
    await mkdir(join(folder, '..data'))
    await writeFile(join(folder, '.hidden.json'), 'not json')
    await write('ours.json', { providers: [acme], models: [modelEntry('acme/fast')] })
    expect((await loadCatalog(folder)).find('acme/fast')).not.toBeNull()
    expect((await loadCatalog(join(folder, 'ours.json'))).find('acme/fast')).not.toBeNull()
  })

  it('lets later folders override earlier ones', async () => {
    const other = join(folder, 'other')
    await mkdir(other)
    await write('ours.json', { providers: [acme], models: [modelEntry('acme/fast'), modelEntry('acme/slow')] })
    await write('other/theirs.json', { models: [modelEntry('acme/fast', { output_per_mtok: '9' })] })
    const catalog = await loadCatalog(folder, other)
    expect(['acme/fast', 'acme/slow'].map((id) => catalog.find(id)?.listPrices.output_per_mtok)).toEqual(['9', '0.60'])
  })

  it('fails once with every problem', async () => {
    await writeFile(join(folder, 'broken.json'), '{')
    await write('wrong.json', { models: [modelEntry('acme/fast', { input_per_mtok: 1, kind: 'x' })] })
    await expect(loadCatalog(folder)).rejects.toThrow(
      /^the model catalog cannot be used:\n {2}broken\.json: is not JSON\n {2}wrong\.json: acme\/fast: kind: .*\n {2}wrong\.json: acme\/fast: input_per_mtok: .*$/,
    )
  })

  it('names the folder that it cannot read', async () => {
    await expect(loadCatalog(join(folder, 'missing'))).rejects.toThrow(
      `the model catalog at ${join(folder, 'missing')} cannot be read`,
    )
  })
})

describe('the catalog of the simulated provider', () => {
  it('has the models and prices of the simulated provider', async () => {
    const [file] = await readSources(simulatedCatalogDir)
    const { models } = CatalogFile.parse(JSON.parse(file?.text ?? ''))
    const kinds = new Map([
      ['embeddings', 'embedding'],
      ['rerank', 'rerank'],
      ['moderations', 'moderation'],
      ['images', 'image'],
      ['speech', 'speech'],
      ['transcriptions', 'transcription'],
    ])
    const kindOf = (capabilities: readonly string[]) =>
      capabilities.map((each) => kinds.get(each)).find((kind) => kind !== undefined) ?? 'chat'
    expect(models).toEqual(
      simulatedCatalog.map((entry) => ({
        ...entry,
        provider: entry.id.slice(0, entry.id.indexOf('/')),
        kind: kindOf(entry.capabilities),
      })),
    )
  })

  it('is found under every id of its families, and only on request', async () => {
    const catalog = await loadCatalog(simulatedCatalogDir)
    const simple = ['sim/large', 'sim/quality-0.95', 'sim/judge-1-0.98', 'sim/fail-503', 'sim/slow-250']
    const ids = [...simple, 'sim-anthropic/large', 'sim-google/cut-100', 'sim-bedrock/fail-503-2']
    expect(ids.map((id) => catalog.find(id)?.upstreamModel)).toEqual(ids)
    expect(catalog.find('sim/quality-1.5')).toBeNull()
    expect((await loadCatalog()).find('sim/large')).toBeNull()
  })
})
