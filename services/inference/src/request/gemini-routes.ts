import { maxInferenceBodyBytes } from '@ratchet/contracts/calls-model'
import { callGemini, type GeminiMethod, geminiMethods } from '@ratchet/contracts/gemini'
import { largeBodyBytes } from '@ratchet/service-kit/http/body-budget'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { admitCaller, identityOf } from '@ratchet/service-kit/identity/require-identity'
import { asObject } from '@ratchet/service-kit/values/json'
import type { Request, Response, Router } from 'express'
import type { PromptCounter } from '../prompt-counts/create-prompt-counter.ts'
import { chatPromptShape } from '../surfaces/chat/chat-prompt-shape.ts'
import { chatSurface } from '../surfaces/chat/chat-surface.ts'
import { geminiToChat } from '../wire/gemini/gemini-to-chat.ts'
import { parseBody } from './parse-body.ts'
import { readBody } from './read-body.ts'
import { openGeminiRewrite } from './rewrite-gemini.ts'
import { type ServeDeps, serveSurface } from './serve-surface.ts'

export interface GeminiDeps extends ServeDeps {
  readonly countPrompt: PromptCounter
}

/** Gemini's API over chat completions. The path names the model and what to do with it. */
export function geminiRoutes(router: Router, deps: GeminiDeps): void {
  router.post(callGemini.path, async (request, response) => {
    request.routeName = callGemini.path
    admitCaller(request, callGemini)
    const { model, method } = namedIn(request)
    if (method === 'countTokens') return countTokens(deps, model, request, response)
    const stream = method === 'streamGenerateContent'
    if (stream && request.query.alt !== 'sse') {
      throw new ServiceError('invalid_request', 'Streams are server-sent events: add ?alt=sse.', { param: 'alt' })
    }
    const rewrite = openGeminiRewrite({ model, stream })
    return serveSurface(deps, chatSurface, { httpRequest: request, httpResponse: response, rewrite })
  })
}

interface Named {
  readonly model: string
  readonly method: GeminiMethod
}

/** @throws ServiceError `unknown_url` for another method of Gemini's API */
function namedIn({ params }: Request): Named {
  const call = [params.call].flat().join('/')
  const split = call.lastIndexOf(':')
  const method = geminiMethods.find((each) => each === call.slice(split + 1))
  if (split > 0 && method !== undefined) return { model: call.slice(0, split), method }
  throw new ServiceError('unknown_url', `Models have the methods ${geminiMethods.join(', ')} here.`)
}

/** Free of charge. `generateContentRequest` is the whole request, in place of its contents alone. */
async function countTokens(deps: GeminiDeps, model: string, request: Request, response: Response): Promise<void> {
  const identity = identityOf(request)
  const held = deps.bodies.enter(identity.workspaceId)
  response.once('close', () => held.leave())
  const limits = { mediaType: 'application/json', limitBytes: maxInferenceBodyBytes } as const
  const bytes = await readBody(request, limits, (count) => held.add(count))
  if (bytes.length > largeBodyBytes) await held.turn()
  const { generateContentRequest, generate_content_request, ...asked } = parseBody(bytes).body
  const whole = asObject(generateContentRequest ?? generate_content_request)
  const { model: _named, ...counted } = whole ?? asked
  const { body } = geminiToChat(counted, { model, stream: false })
  const shape = chatPromptShape({ messages: body.messages as unknown[], tools: (body.tools ?? []) as unknown[] })
  const totalTokens = await deps.countPrompt(identity, { name: model, body, bytes: bytes.length, shape })
  response.json({ totalTokens })
}
