import { scanJson } from '@ratchet/service-kit/json/scan-json'
import fc from 'fast-check'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { convertRequest } from '../../providers/openai/convert-request.ts'
import { wideLimits } from '../../wire/answer-limits.fixture.ts'
import type { ProviderRequest } from '../../wire/provider.ts'
import { readRerankReply } from '../../wire/rerank/read-rerank-reply.ts'
import { noUsage } from '../../wire/usage.ts'
import type { Charged } from '../surface.ts'
import { rerankSurface } from './rerank-surface.ts'

const free = { kind: 'rerank', max_output_tokens: 0, input_per_mtok: '0', cached_input_per_mtok: null } as const
const bySearch = modelOf({ ...free, per_search: '0.002' })
const byRequest = modelOf({ ...free, per_request: '0.001' })
const byToken = modelOf({ ...free, input_per_mtok: '0.02' })
const charged: Charged = { usage: { ...noUsage, searches: 1 }, isReported: true, chargedNano: 2_000_000n }

function requestOf(more: object = {}, model = bySearch): ProviderRequest {
  const body = { model: 'acme/fast', query: 'tea', documents: ['a', 'b', 'c'], ...more }
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanJson(bytes, { maxDepth: 64, maxKeys: 1_000 })
  if (!scan.ok) throw new Error(scan.reason)
  return { requestId: 'r1', dialect: 'rerank', model, bytes, scan, body, stream: false, limits: wideLimits }
}

function finish(reply: object, more: object = {}, how = charged) {
  const request = requestOf(more)
  const read = readRerankReply(Buffer.from(JSON.stringify(reply)), request)
  if (read === null) throw new Error('unreadable')
  const facts = rerankSurface.readFacts(request.body)
  return JSON.parse(rerankSurface.finishReply(read, how, { request, facts, created: 0 }).toString())
}

const ranked = (...pairs: [number, number][]) => pairs.map(([index, relevance_score]) => ({ index, relevance_score }))

const cohere = {
  id: 'c0ffee',
  results: ranked([2, 0.9], [0, 0.5], [1, 0.1]),
  meta: { api_version: { version: '2', is_experimental: false }, billed_units: { search_units: 1 } },
}

describe('rerankSurface', () => {
  it('answers with the fields that the clients of Cohere, Jina, Together and vLLM read', () => {
    expect(finish(cohere)).toEqual({
      object: 'rerank',
      id: 'c0ffee',
      model: 'acme/fast',
      results: ranked([2, 0.9], [0, 0.5], [1, 0.1]),
      usage: { prompt_tokens: 0, total_tokens: 0, search_units: 1, cost_usd: 0.002 },
      meta: { api_version: { version: '2', is_experimental: false }, billed_units: { search_units: 1 } },
    })
    const jina = { model: 'jina-reranker-v3', object: 'list', usage: { total_tokens: 9 }, results: ranked([0, 1]) }
    expect(finish(jina, {}, { ...charged, usage: { ...noUsage, promptTokens: 9 } })).toEqual({
      object: 'rerank',
      id: 'rerank-r1',
      model: 'jina-reranker-v3',
      results: ranked([0, 1]),
      usage: { prompt_tokens: 9, total_tokens: 9, cost_usd: 0.002 },
      meta: { api_version: { version: '2' }, billed_units: {} },
    })
  })

  it('sorts by score, the best first, and leaves equal scores in the order of the provider', () => {
    const { results } = finish({ results: ranked([0, 0.1], [2, 0.5], [1, 0.5]) })
    expect(results).toEqual(ranked([2, 0.5], [1, 0.5], [0, 0.1]))
  })

  it('applies top_n when the provider does not', () => {
    expect(finish(cohere, { top_n: 2 }).results).toEqual(ranked([2, 0.9], [0, 0.5]))
    expect(finish(cohere, { top_n: 9 }).results).toHaveLength(3)
  })

  it('includes the documents of the request only when requested', () => {
    const documents = ['a', { text: 'b', url: 'u' }, 'c']
    const { results } = finish(cohere, { documents, return_documents: true })
    expect(results.map(({ document }: { document: object }) => document)).toEqual([
      { text: 'c' },
      { text: 'a' },
      { text: 'b', url: 'u' },
    ])
    const chatty = { results: [{ index: 0, relevance_score: 1, document: { text: 'not what was sent' } }] }
    expect(finish(chatty, { return_documents: false }).results).toEqual(ranked([0, 1]))
    expect(finish(chatty, { return_documents: true }).results[0].document).toEqual({ text: 'a' })
  })

  it('drops indices without a document, and repeated ones', () => {
    expect(finish({ results: ranked([7, 1], [1, 0.5], [1, 0.4]) }).results).toEqual(ranked([1, 0.5]))
  })

  it('answers a valid superset for any reply of the provider', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (id, meta, usage) => {
        fc.pre(!JSON.stringify([id, meta, usage]).includes('__proto__'))
        const answer = finish({ id, meta, usage, results: ranked([0, 1]) })
        expect(typeof answer.id).toBe('string')
        expect(answer.results).toEqual(ranked([0, 1]))
        expect(answer.meta.billed_units.search_units).toBe(1)
        expect(answer.usage.search_units).toBe(1)
      }),
    )
  })
})

describe('readRerankReply', () => {
  const results = ranked([0, 1])

  it.each([
    '',
    '{}',
    '[]',
    '{"results":{}}',
    '{"results":[null]}',
    '{"results":[{"index":-1,"relevance_score":1}]}',
    '{"results":[{"index":0}]}',
    '{"results":[{"index":0,"relevance_score":"1"}]}',
    '{"results":[{"index":0,"relevance_score":1}]',
    '{"results":[],"__proto__":{}}',
  ])('is null for %s', (text) => {
    expect(readRerankReply(Buffer.from(text), requestOf())).toBeNull()
  })

  it.each<[string, object, ProviderRequest['model'], object | null]>([
    ['Cohere', cohere, bySearch, { searches: 1 }],
    [
      'searches beside tokens',
      { results, usage: { total_tokens: 9, search_units: 2 } },
      bySearch,
      { promptTokens: 9, searches: 2 },
    ],
    ['tokens of Jina and vLLM', { results, usage: { total_tokens: 9 } }, byToken, { promptTokens: 9 }],
    [
      'tokens of Together',
      { results, usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 } },
      byToken,
      { promptTokens: 9 },
    ],
    ['Voyage', { data: results, usage: { total_tokens: 9 } }, byToken, { promptTokens: 9 }],
    ['no searches reported', { results, usage: { total_tokens: 9 } }, bySearch, { promptTokens: 9, searches: 1 }],
    ['nothing reported, priced by the search', { results }, bySearch, { searches: 1 }],
    ['nothing reported, priced by the token', { results }, byToken, null],
    ['only searches reported, priced by the token', { results, usage: { search_units: 1 } }, byToken, null],
    [
      'only searches reported, priced by the request',
      { results, usage: { search_units: 1 } },
      byRequest,
      { searches: 1 },
    ],
    ['nonsense', { results, usage: { total_tokens: -1 }, meta: [] }, byToken, null],
  ])('reads usage: %s', (_, reply, model, usage) => {
    const read = readRerankReply(Buffer.from(JSON.stringify(reply)), requestOf({}, model))
    expect(read?.usage).toEqual(usage === null ? null : { ...noUsage, ...usage })
  })

  it('counts the searches of many documents when the provider does not report them', () => {
    const request = requestOf({ documents: new Array(250).fill('a') })
    expect(readRerankReply(Buffer.from('{"results":[]}'), request)?.usage?.searches).toBe(3)
  })
})

describe('a rerank request to a provider', () => {
  const sent = (more: object) => convertRequest(requestOf(more)).toString()

  it('is unchanged except for the model and for the fields that the gateway handles itself', () => {
    expect(sent({ top_n: 2, priority: 1, return_documents: true, models: ['a/b'] })).toBe(
      '{"model":"fast","query":"tea","documents":["a","b","c"],"top_n":2,"priority":1}',
    )
    expect(sent({ top_n: null, max_tokens_per_doc: null, rank_fields: null })).toBe(
      '{"model":"fast","query":"tea","documents":["a","b","c"]}',
    )
  })

  it('has only texts as documents', () => {
    expect(JSON.parse(sent({ documents: ['a', { text: 'b', url: 'u' }] })).documents).toEqual(['a', 'b'])
    const documents = [{ title: 'Tea', text: 'Hot' }, 'plain']
    expect(JSON.parse(sent({ documents, rank_fields: ['title', 'text'] }))).toEqual({
      model: 'fast',
      query: 'tea',
      documents: ['title: Tea\ntext: Hot', 'text: plain'],
    })
  })
})
