import { createChatCompletion } from '@ratchet/contracts/chat'
import { identityOf } from '@ratchet/service-kit/require-identity'
import type { Response, Router } from 'express'
import type { InferenceDeps } from '../app.ts'
import { admitChat } from '../exchange/admit-chat.ts'
import { answerPlain } from '../exchange/answer-plain.ts'
import { answerStream } from '../exchange/answer-stream.ts'
import type { AdmittedChat } from '../exchange/exchange-deps.ts'
import { readBody } from '../read-body.ts'

/** Largest chat body, bytes. */
const chatBodyLimit = 10 * 1024 * 1024

/** Not mounted through the endpoint value: the body is read, checked and passed on as bytes. */
export function chatRoutes(router: Router, deps: InferenceDeps): void {
  router.post(createChatCompletion.path, async (request, response) => {
    request.routeName = createChatCompletion.path
    const bytes = await readBody(request, chatBodyLimit)
    const chat = await admitChat(deps, { bytes, requestId: request.id, identity: identityOf(request) })
    await answerOrRelease(deps, chat, response)
  })
}

/** Answers an admitted request. However that ends, its hold is not left open. */
async function answerOrRelease(deps: InferenceDeps, chat: AdmittedChat, response: Response): Promise<void> {
  // Who left while the hold was taken is not heard leaving again.
  if (response.destroyed) return void (await chat.billing.release())
  try {
    await (chat.request.facts.stream ? answerStream : answerPlain)(deps, chat, response)
  } catch (error) {
    await chat.billing.release()
    throw error
  }
}
