import { cpuMs } from '@ratchet/testing/cpu-time'
import { checkRerankRequest } from './check-rerank-request.ts'

const body = (more: object = {}) => ({ model: 'cohere/rerank-v3.5', query: 'tea', documents: ['a', 'b'], ...more })

describe('checkRerankRequest', () => {
  it('returns the facts of a minimal request, with the query counted for every document', () => {
    expect(checkRerankRequest(body())).toEqual({
      requestedModel: 'cohere/rerank-v3.5',
      fallbackModels: [],
      stream: false,
      includeUsage: false,
      n: 1,
      maxTokens: 0,
      searches: 1,
      prompt: { items: 2, tools: 0, mediaParts: 0, mediaLength: 0, repeatedBytes: 3, unbounded: false },
    })
  })

  it('accepts null for absent', () => {
    const optional = { models: null, top_n: null, return_documents: null, max_tokens_per_doc: null, rank_fields: null }
    expect(checkRerankRequest(body(optional))).toEqual(checkRerankRequest(body()))
  })

  it('accepts objects with a text or with any of the rank fields', () => {
    expect(checkRerankRequest(body({ documents: [{ text: '' }, 'b'] })).prompt.items).toBe(2)
    const documents = [{ title: 'a' }, { author: 7 }]
    expect(checkRerankRequest(body({ documents, rank_fields: ['title', 'author'] })).prompt.items).toBe(2)
  })

  it.each<[object, string]>([
    [{ query: undefined }, 'query'],
    [{ query: '' }, 'query'],
    [{ query: 7 }, 'query'],
    [{ documents: undefined }, 'documents'],
    [{ documents: [] }, 'documents'],
    [{ documents: 'a' }, 'documents'],
    [{ documents: new Array(10_001).fill('a') }, 'documents'],
    [{ documents: ['a', 7] }, 'documents.1'],
    [{ documents: ['a', null] }, 'documents.1'],
    [{ documents: ['a', ['b']] }, 'documents.1'],
    [{ documents: ['a', {}] }, 'documents.1.text'],
    [{ documents: ['a', { text: 7 }] }, 'documents.1.text'],
    [{ documents: [{ title: 'a' }, { text: 'b' }], rank_fields: ['title'] }, 'documents.1'],
    [{ documents: [{ title: 'a' }, 'b'], rank_fields: ['title'] }, 'documents.1'],
    [{ documents: [{}], rank_fields: ['toString'] }, 'documents.0'],
    [{ top_n: 0 }, 'top_n'],
    [{ top_n: 1.5 }, 'top_n'],
    [{ return_documents: 'yes' }, 'return_documents'],
    [{ max_tokens_per_doc: -1 }, 'max_tokens_per_doc'],
    [{ rank_fields: [] }, 'rank_fields'],
    [{ rank_fields: [''] }, 'rank_fields'],
    [{ rank_fields: ['text', 'text'] }, 'rank_fields'],
    [{ rank_fields: Array.from({ length: 65 }, (_, field) => `f${field}`) }, 'rank_fields'],
    [{ model: undefined }, 'model'],
  ])('refuses %j and names its path', (more, param) => {
    expect(() => checkRerankRequest(body(more))).toThrow(
      expect.objectContaining({ code: 'invalid_request', param, message: expect.stringContaining(param) }),
    )
  })
})

it('takes a part of a second for as many documents and fields as a body may have', () => {
  const documents = Array.from({ length: 10_000 }, () => ({ text: 'a' }))
  const fields = (count: number) => Array.from({ length: count }, (_, field) => (field === 0 ? 'text' : `f${field}`))
  expect(cpuMs(() => checkRerankRequest(body({ documents, rank_fields: fields(64) })))).toBeLessThan(1_000)
  for (const rank_fields of [fields(400_000), new Array(400_000).fill('text')]) {
    const refused = () => expect(() => checkRerankRequest(body({ documents, rank_fields }))).toThrow('rank_fields')
    expect(cpuMs(refused)).toBeLessThan(1_000)
  }
})
