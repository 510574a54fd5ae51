import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import { countMessageTokens, countResponseTokens } from '@ratchet/contracts/prompt-counts'
import { type BodyBudget, largeBodyBytes } from '@ratchet/service-kit/http/body-budget'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { z } from 'zod'
import type { CatalogModel } from '../catalog/catalog.ts'
import type { RateLimiter } from '../rate-limits/rate-limit.ts'
import { parseBody } from '../request/parse-body.ts'
import type { CountTokens, CountTokensOf } from '../request/price-answer.ts'
import { readBody } from '../request/read-body.ts'
import { type ModelDirectory, requireModel } from '../routing/require-model.ts'
import { messagesPromptShape } from '../surfaces/messages/messages-prompt-shape.ts'
import { responsesPromptShape } from '../surfaces/responses/prompt-shape.ts'
import type { SettingsSource } from '../workspace-settings/workspace-settings.ts'
import { createFreeCounts } from './free-counts.ts'
import { promptTokens } from './prompt-tokens.ts'

export interface PromptCountDeps extends ModelDirectory {
  readonly settings: SettingsSource
  readonly countTokensOf: CountTokensOf
  readonly limiter: Pick<RateLimiter, 'admit'>
  readonly bodies: BodyBudget
}

/** Counts of prompts, for clients that ask before they send one. No provider is called. */
export function promptCountRoutes(router: Router, deps: PromptCountDeps): void {
  const freeCounts = createFreeCounts()
  const countFor =
    ({ workspaceId }: Identity): CountTokens =>
    (model, texts) =>
      freeCounts.run(workspaceId, () => deps.countTokensOf(workspaceId)(model, texts))

  mountCounted(router, countMessageTokens, deps, async ({ body, bytes, identity }) => {
    const { messages, system, tools } = body
    const model = await admittedModel(deps, identity, body.model)
    const shape = messagesPromptShape({ messages, system, tools: tools ?? [] })
    return { input_tokens: await promptTokens(countFor(identity), { model, body, bytes, shape }) }
  })

  mountCounted(router, countResponseTokens, deps, async ({ body, bytes, identity }) => {
    const model = await admittedModel(deps, identity, body.model)
    const shape = responsesPromptShape(body)
    const input_tokens = await promptTokens(countFor(identity), { model, body, bytes, shape })
    return { object: 'response.input_tokens' as const, input_tokens }
  })
}

interface CountedInput<E extends Endpoint> {
  readonly body: z.output<E['body']>
  /** Bytes of the body. */
  readonly bytes: number
  readonly identity: Identity
}

/** The body is read, limited and parsed as those of requests that call a model. */
function mountCounted<E extends Endpoint>(
  router: Router,
  endpoint: E,
  { bodies }: PromptCountDeps,
  handle: (input: CountedInput<E>) => Promise<z.input<E['reply']>>,
): void {
  mountRaw(router, endpoint, async ({ request, identity }, response) => {
    const held = bodies.enter(identity.workspaceId)
    response.once('close', () => held.leave())
    const bytes = await readBody(request, endpoint.maxBodyBytes, (count) => held.add(count))
    if (bytes.length > largeBodyBytes) await held.turn()
    const body = parseInput<E['body']>(endpoint.body, parseBody(bytes).body)
    response.json(endpoint.reply.parse(await handle({ body, bytes: bytes.length, identity })))
  })
}

/**
 * The model that a name means; an alias counts for the model that it routes to first. A count is a request of the
 * workspace, but uses none of its tokens.
 *
 * @throws ServiceError `rate_limit_exceeded`, or when there is no such model
 */
async function admittedModel(
  deps: PromptCountDeps,
  { workspaceId, keyId }: Identity,
  name: string,
): Promise<CatalogModel> {
  const settings = await deps.settings.of(workspaceId, [name])
  const { limits, keyLimits } = settings
  const keys = keyId === null ? undefined : keyLimits.get(keyId)
  const admission = await deps.limiter.admit({ workspaceId, keyId, limits, keyLimits: keys, tokens: 0 })
  if (admission !== null && !admission.ok) {
    throw new ServiceError('rate_limit_exceeded', 'Too many requests per minute for this key or workspace.', {
      retryAfterSeconds: Math.ceil(admission.retryAfterMs / 1_000),
    })
  }
  return requireModel(deps, settings, settings.aliases.get(name)?.targetModel ?? name)
}
