import { createUpstream } from '@ratchet/http/create-upstream'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { embeddingsSurface } from '../../surfaces/embeddings/embeddings-surface.ts'
import { rerankSurface } from '../../surfaces/rerank/rerank-surface.ts'
import type { Surface } from '../../surfaces/surface.ts'
import { wideLimits } from '../../wire/answer-limits.fixture.ts'
import type { ProviderFailure, ProviderReply, ProviderRequest } from '../../wire/provider.ts'
import { noUsage } from '../../wire/usage.ts'
import { openAiProvider } from './openai-provider.ts'

const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }
const stops: (() => unknown)[] = []

afterAll(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** A provider that calls the simulated provider below `basePath`. */
async function providerAt(basePath: string) {
  const simulated = await startSimulatedProvider()
  stops.push(() => simulated.stop())
  const upstream = createUpstream({ origin: simulated.baseUrl, connections: 2, connectTimeoutMs: 5_000 })
  stops.push(() => upstream.destroy())
  return openAiProvider({ upstream, basePath, apiKey: 'key', clocks })
}

interface Asked {
  readonly surface: Surface
  readonly basePath?: string
  readonly model?: object
}

/** Calls the provider and returns its usage, and the answer as a client gets it. */
async function ask(body: Record<string, unknown>, { surface, basePath = '/v1', model = {} }: Asked) {
  const provider = await providerAt(basePath)
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanJson(bytes, { maxDepth: 64, maxKeys: 1_000 })
  if (!scan.ok) throw new Error(scan.reason)
  const entry = { kind: surface.serves, upstream_model: body.model, max_output_tokens: 0, ...model }
  const request: ProviderRequest = {
    requestId: 'r1',
    dialect: surface.dialect,
    model: modelOf(entry),
    bytes,
    scan,
    body,
    stream: false,
    limits: wideLimits,
  }
  const outcome = await new Promise<ProviderReply | ProviderFailure>((resolve) => {
    provider.start(request, {
      onReply: resolve,
      onFailure: resolve,
      onStreamStart() {},
      onStreamData() {},
      onStreamEnd() {},
    })
  })
  if ('kind' in outcome) return { failure: outcome, usage: null, answer: null }
  const charged = { usage: outcome.usage ?? noUsage, isReported: outcome.usage !== null, chargedNano: 1_000n }
  const context = { request, facts: surface.readFacts(body), created: 0 }
  const answer = JSON.parse(surface.finishReply(outcome, charged, context).toString())
  return { failure: null, usage: outcome.usage, answer }
}

describe('openAiProvider', () => {
  it('returns embeddings in the requested format', async () => {
    const body = { model: 'sim/embed', input: ['hot tea', 'cold tea'], dimensions: 8 }
    const floats = await ask(body, { surface: embeddingsSurface })
    const base64 = await ask({ ...body, encoding_format: 'base64' }, { surface: embeddingsSurface })
    expect(floats.answer.data).toHaveLength(2)
    const bytes = Buffer.from(base64.answer.data[1].embedding, 'base64')
    const decoded = Array.from({ length: 8 }, (_, index) => bytes.readFloatLE(index * 4))
    expect(decoded).toEqual(floats.answer.data[1].embedding)
    expect(floats.answer.usage).toMatchObject({ prompt_tokens: floats.usage?.promptTokens, cost_usd: 0.000001 })
  })

  it('embeds lists of token ids', async () => {
    const { usage } = await ask({ model: 'sim/embed', input: [[1, 2, 3], [4]] }, { surface: embeddingsSurface })
    expect(usage).toEqual({ ...noUsage, promptTokens: 4 })
  })

  it.each([
    ['as Jina, Together and vLLM do', '/v1'],
    ['as Cohere does', '/v2'],
  ])('ranks documents %s', async (_, basePath) => {
    const body = {
      model: 'sim/rerank',
      query: 'hot tea',
      documents: ['a cold river', { text: 'hot tea', url: 'u' }, 'tea'],
      top_n: 2,
      return_documents: true,
    }
    const { answer, usage } = await ask(body, { surface: rerankSurface, basePath, model: { per_search: '0.002' } })
    expect(answer.results.map(({ document }: { document: object }) => document)).toEqual([
      { text: 'hot tea', url: 'u' },
      { text: 'tea' },
    ])
    expect(answer.meta).toEqual({ api_version: { version: '2' }, billed_units: { search_units: 1 } })
    expect(usage?.searches).toBe(1)
  })

  it('passes on why a provider refused a request', async () => {
    const { failure } = await ask({ model: 'sim/embed', input: 'tea', dimensions: 1e9 }, { surface: embeddingsSurface })
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('dimensions') })
  })
})
