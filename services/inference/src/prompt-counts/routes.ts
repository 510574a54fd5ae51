import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import { countMessageTokens, countResponseTokens } from '@ratchet/contracts/prompt-counts'
import { type BodyBudget, largeBodyBytes } from '@ratchet/service-kit/http/body-budget'
import { mountRaw } from '@ratchet/service-kit/http/mount'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import type { Router } from 'express'
import type { z } from 'zod'
import { parseBody } from '../request/parse-body.ts'
import { readBody } from '../request/read-body.ts'
import { messagesPromptShape } from '../surfaces/messages/messages-prompt-shape.ts'
import { responsesPromptShape } from '../surfaces/responses/prompt-shape.ts'
import type { PromptCounter } from './create-prompt-counter.ts'

export interface PromptCountDeps {
  readonly bodies: BodyBudget
  readonly countPrompt: PromptCounter
}

/** Counts of prompts, for clients that ask before they send one. No provider is called. */
export function promptCountRoutes(router: Router, deps: PromptCountDeps): void {
  mountCounted(router, countMessageTokens, deps, async ({ body, bytes, identity }) => {
    const { model: name, messages, system, tools } = body
    const shape = messagesPromptShape({ messages, system, tools: tools ?? [] })
    return { input_tokens: await deps.countPrompt(identity, { name, body, bytes, shape }) }
  })

  mountCounted(router, countResponseTokens, deps, async ({ body, bytes, identity }) => {
    const shape = responsesPromptShape(body)
    const input_tokens = await deps.countPrompt(identity, { name: body.model, body, bytes, shape })
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
    const bytes = await readBody(request, asJson(endpoint), (count) => held.add(count))
    if (bytes.length > largeBodyBytes) await held.turn()
    const body = parseInput<E['body']>(endpoint.body, parseBody(bytes).body)
    response.json(endpoint.reply.parse(await handle({ body, bytes: bytes.length, identity })))
  })
}

function asJson({ maxBodyBytes }: Pick<Endpoint, 'maxBodyBytes'>) {
  return { mediaType: 'application/json', limitBytes: maxBodyBytes } as const
}
