import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import { wideLimits } from '../../wire/answer-limits.fixture.ts'
import { readEmbeddingsReply } from '../../wire/embeddings/read-embeddings-reply.ts'
import { writeEmbeddings } from '../../wire/embeddings/write-embeddings.ts'
import { noUsage } from '../../wire/usage.ts'
import type { AnswerContext, Charged } from '../surface.ts'
import { embeddingsSurface } from './embeddings-surface.ts'

const model = modelOf({ kind: 'embedding', max_output_tokens: 0 })
const charged: Charged = { usage: { ...noUsage, promptTokens: 7 }, isReported: true, chargedNano: 1_000n }

function contextOf(body: Record<string, unknown>): AnswerContext {
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanJson(bytes, { maxDepth: 64, maxKeys: 1_000 })
  if (!scan.ok) throw new Error(scan.reason)
  const read = { bytes, scan, body, limits: wideLimits }
  const request = { requestId: 'r', dialect: 'embeddings', model, stream: false, ...read } as const
  return { request, facts: embeddingsSurface.readFacts(body), created: 0 }
}

function finish(reply: string, encodingFormat: string | null, how = charged): string {
  const read = readEmbeddingsReply(Buffer.from(reply))
  if (read === null) throw new Error('unreadable')
  const context = contextOf({ model: 'acme/fast', input: 'Hi', encoding_format: encodingFormat })
  return embeddingsSurface.finishReply(read, how, context).toString()
}

const floats =
  '{"object":"list","data":[{"object":"embedding", "index":0, "embedding": [1, -2.0, 5e-1]}],"x":1e2,"usage":{"prompt_tokens":7,"total_tokens":7}}'
const base64 =
  '{"object":"list","data":[{"object":"embedding", "index":0, "embedding": "AACAPwAAAMAAAAA/"}],"x":1e2,"usage":{"prompt_tokens":7,"total_tokens":7}}'
const costed = (text: string) => text.replace('"total_tokens":7', '"total_tokens":7,"cost_usd":0.000001')

describe('embeddingsSurface', () => {
  it('leaves an answer in the requested format unchanged except for the cost', () => {
    expect(finish(floats, null)).toBe(costed(floats))
    expect(finish(floats, 'float')).toBe(costed(floats))
    expect(finish(base64, 'base64')).toBe(costed(base64))
  })

  it('converts numbers of the provider to base64 when the client requests it', () => {
    expect(JSON.parse(finish(floats, 'base64'))).toEqual(JSON.parse(costed(base64)))
  })

  it('converts base64 of the provider to numbers when the client requests no format', () => {
    expect(JSON.parse(finish(base64, null))).toEqual(JSON.parse(costed(floats)))
  })

  it('adds the counted usage when the provider gave none', () => {
    const bare = '{"object":"list","data":[{"embedding":[1]}]}'
    expect(JSON.parse(finish(bare, null, { ...charged, isReported: false })).usage).toEqual({
      prompt_tokens: 7,
      total_tokens: 7,
      cost_usd: 0.000001,
    })
  })

  it('reports a parameter that the model does not support', () => {
    const fixed = modelOf({ kind: 'embedding', max_output_tokens: 0, unsupported_parameters: ['dimensions'] })
    expect(embeddingsSurface.unsupportedParameter(fixed, { dimensions: 64 })).toBe('dimensions')
    expect(embeddingsSurface.unsupportedParameter(fixed, { dimensions: null })).toBeNull()
  })
})

describe('readEmbeddingsReply', () => {
  it.each<[string, number | null]>([
    ['{"prompt_tokens":7,"total_tokens":9}', 7],
    ['{"total_tokens":9}', 9],
    ['{"prompt_tokens":0,"total_tokens":0}', 0],
    ['{"prompt_tokens":-1}', null],
    ['{"prompt_tokens":"7"}', null],
    ['{"prompt_tokens":7,"completion_tokens":0}', 7],
    ['{"prompt_tokens":7,"completion_tokens":-1}', null],
    ['{"prompt_tokens":7,"total_tokens":-1}', null],
    ['null', null],
    ['[]', null],
  ])('reads the usage %s', (usage, promptTokens) => {
    const read = readEmbeddingsReply(Buffer.from(`{"data":[],"usage":${usage}}`))
    expect(read?.usage).toEqual(promptTokens === null ? null : { ...noUsage, promptTokens })
  })

  it.each([
    '',
    '[]',
    '{}',
    '{"data":{}}',
    '{"data":[null]}',
    '{"data":[{"embedding":null}]}',
    '{"data":[{"embedding":["1"]}]}',
    '{"data":[{"embedding":[1]}]',
    '{"data":[{"embedding":[1]}],"__proto__":{}}',
  ])('is null for %s', (text) => {
    expect(readEmbeddingsReply(Buffer.from(text))).toBeNull()
  })

  it('reads the replies that writeEmbeddings writes', () => {
    const usage = { ...noUsage, promptTokens: 3 }
    const bytes = writeEmbeddings({ model: 'm', vectors: [[1, 2], [3]], usage })
    expect(readEmbeddingsReply(bytes)?.usage).toEqual(usage)
    expect(JSON.parse(bytes.toString()).data[1]).toEqual({ object: 'embedding', index: 1, embedding: [3] })
    expect(readEmbeddingsReply(writeEmbeddings({ model: 'm', vectors: [], usage: null }))?.usage).toBeNull()
  })
})
