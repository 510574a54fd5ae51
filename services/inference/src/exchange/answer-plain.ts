import type { ServerResponse } from 'node:http'
import { formatUsd } from '@ratchet/contracts/money'
import type { UpstreamCall } from '@ratchet/http/upstream-call'
import { editMember, editTopLevel } from '../domain/edit-json.ts'
import { chargeableUsage } from '../domain/estimate-usage.ts'
import { costNano, type TokenUsage } from '../domain/price.ts'
import type { ChatListener, ChatReply, ProviderFailure } from '../providers/provider.ts'
import type { AdmittedChat, ExchangeDeps } from './exchange-deps.ts'
import { errorOfFailure } from './failure-error.ts'

type Outcome =
  | { readonly kind: 'reply'; readonly reply: ChatReply }
  | { readonly kind: 'failure'; readonly failure: ProviderFailure }

/**
 * Answers a request that is not streamed: the charge is committed before the body is written.
 *
 * @throws ServiceError when the provider gave no answer; the hold is given back.
 */
export async function answerPlain(deps: ExchangeDeps, chat: AdmittedChat, response: ServerResponse): Promise<void> {
  const outcome = await callWhileClientWaits(deps, chat, response)
  if (outcome.kind === 'failure') {
    await chat.billing.release()
    if (response.destroyed) return
    throw errorOfFailure(outcome.failure)
  }
  const { reply } = outcome
  const { model, bytes, facts } = chat.request
  const seen = { bodyBytes: bytes.length, messages: facts.messages, deltas: 0, characters: reply.generatedCharacters }
  const usage = chargeableUsage(reply.usage, seen)
  const chargedNano = await chat.billing.settle(costNano(model, usage))
  writeReply(deps, chat, response, { reply, usage, costUsd: formatUsd(chargedNano) })
}

function callWhileClientWaits(deps: ExchangeDeps, chat: AdmittedChat, response: ServerResponse): Promise<Outcome> {
  return new Promise((resolve) => {
    const listener: Pick<ChatListener, 'onReply' | 'onFailure'> = {
      onReply: (reply) => resolve({ kind: 'reply', reply }),
      onFailure: (failure) => resolve({ kind: 'failure', failure }),
    }
    const call: UpstreamCall = deps.callProvider(chat.request, { ...listener, onStreamData() {}, onStreamEnd() {} })
    response.once('close', () => call.abort())
  })
}

function writeReply(
  { brand }: ExchangeDeps,
  { request }: AdmittedChat,
  response: ServerResponse,
  { reply, usage, costUsd }: { reply: ChatReply; usage: TokenUsage; costUsd: string },
): void {
  const ours = { ...(reply.usage === null ? wireCounts(usage) : {}), cost_usd: costUsd }
  const body = editTopLevel(reply.bytes, reply.scan, { usage: editMember(reply.bytes, reply.scan, 'usage', ours) })
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    [brand.headers.servedModel]: request.model.id,
    [brand.headers.cache]: 'off',
    [brand.headers.costUsd]: costUsd,
  })
  response.end(body)
}

/** Our own counts, for a provider that gave none. */
function wireCounts({ promptTokens, completionTokens }: TokenUsage): Record<string, string> {
  return {
    prompt_tokens: String(promptTokens),
    completion_tokens: String(completionTokens),
    total_tokens: String(promptTokens + completionTokens),
  }
}
