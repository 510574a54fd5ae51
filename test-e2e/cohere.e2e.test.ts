import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai'
import { ledgerOf, payFor, priceUsd } from './charge.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'

let fleet: SharedFleet
let v1: CohereClient
let v2: CohereClientV2

beforeAll(async () => {
  fleet = await shareFleet()
  const options = { environment: fleet.url, token: fleet.workspace.apiKey, maxRetries: 0 }
  v1 = new CohereClient(options)
  v2 = new CohereClientV2(options)
}, 300_000)

const model = 'sim/rerank'
const query = 'how glaciers carve valleys'
const documents = ['apples and pears', 'how glaciers carve valleys in Norway', 'valleys of Norway']

describe('rerank by the cohere-ai package', () => {
  it('ranks by the second version of its API, and charges a request', async () => {
    const { answer, paidUsd } = await payFor(fleet, () => v2.rerank({ model, query, documents }).withRawResponse())
    const { data, rawResponse } = answer
    expect(data.results.map(({ index }) => index)).toEqual([1, 2, 0])
    expect(data.results.every(({ relevanceScore }) => relevanceScore >= 0 && relevanceScore <= 1)).toBe(true)
    expect(data.id).toMatch(/./)
    expect(data.meta?.billedUnits).toEqual({ searchUnits: 1 })
    expect(paidUsd).toBe(priceUsd(model, { prompt: 0 }))
    expect(Number(rawResponse.headers.get('x-svc-cost-usd'))).toBe(paidUsd)
    expect(rawResponse.headers.get('x-svc-served-model')).toBe(model)
  })

  it('returns the requested number of results', async () => {
    const { results } = await v2.rerank({ model, query, documents, topN: 1 })
    expect(results).toEqual([{ index: 1, relevanceScore: expect.any(Number) }])
  })

  it('ranks objects by the first version, and returns the documents', async () => {
    const objects = documents.map((text) => ({ text }))
    const { results, meta } = await v1.rerank({ model, query, documents: objects, topN: 2, returnDocuments: true })
    expect(results).toMatchObject([{ index: 1, document: { text: documents[1] } }, { index: 2 }])
    expect(meta?.apiVersion?.version).toMatch(/./)
  })

  it('ranks objects by the fields that are named', async () => {
    const objects = [
      { title: 'fruit', body: query },
      { title: query, body: 'fruit' },
    ]
    const { results } = await v1.rerank({ model, query, documents: objects, rankFields: ['title'] })
    expect(results.map(({ index }) => index)).toEqual([1, 0])
  })

  it('throws the error class of the SDK with status and body, without a charge', async () => {
    const failing = [
      { documents: [], status: 400, code: 'invalid_request' },
      { documents, model: 'sim/none', status: 404, code: 'model_not_found' },
      { documents, model: 'sim/large', status: 400, code: 'invalid_request' },
    ]
    for (const { status, code, ...asked } of failing) {
      const { answer, paidUsd } = await payFor(fleet, () =>
        v2.rerank({ model, query, ...asked }).catch((error: unknown) => error),
      )
      expect(answer).toBeInstanceOf(CohereError)
      expect(answer).toMatchObject({ statusCode: status, body: { error: { code } } })
      expect(paidUsd).toBe(0)
    }
    const outsider = new CohereClientV2({ environment: fleet.url, token: 'sk_svc_wrong', maxRetries: 0 })
    await expect(outsider.rerank({ model, query, documents })).rejects.toMatchObject({ statusCode: 401 })
  })
})

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})
