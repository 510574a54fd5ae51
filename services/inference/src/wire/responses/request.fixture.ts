import { modelOf } from '../../catalog/catalog.fixture.ts'
import type { CatalogModel } from '../../catalog/catalog.ts'
import { readResponsesFacts } from '../../surfaces/responses/check-request.ts'
import type { AnswerContext, Charged } from '../../surfaces/surface.ts'
import { wideLimits } from '../answer-limits.fixture.ts'
import { readObject } from '../chat/read-reply.ts'
import type { Body } from '../dialect.ts'
import type { ProviderRequest } from '../provider.ts'

export const requestId = '01890000-0000-7000-8000-00000000abcd'
export const responseId = 'resp_0189000000007000800000000000abcd'

/** A request as it is sent to a model. */
export function responsesRequest(change: Body = {}, model: CatalogModel = modelOf()): ProviderRequest {
  const bytes = Buffer.from(JSON.stringify({ model: 'acme/fast', input: 'hi', ...change }))
  const read = readObject(bytes)
  if (read === null) throw new Error('not an object')
  return {
    requestId,
    dialect: 'responses',
    model,
    bytes,
    ...read,
    stream: read.body.stream === true,
    limits: wideLimits,
  }
}

export function contextOf(change: Body = {}): AnswerContext {
  const request = responsesRequest(change)
  return { request, facts: readResponsesFacts(request.body), created: 1_770_000_000 }
}

/** Three prompt and four completion tokens for three millionths of a dollar. */
export function chargedFor(change: Partial<Charged> = {}): Charged {
  const parts = { cachedPromptTokens: 1, cacheWriteTokens: 0, reasoningTokens: 2, searches: 0 }
  const usage = { promptTokens: 3, completionTokens: 4, ...parts }
  return { usage, isReported: true, chargedNano: 3_000n, ...change }
}
