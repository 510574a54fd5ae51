import { formatUsd } from '@ratchet/contracts/money'
import { editMember, editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { wireUsage } from '../../wire/chat/write-chat.ts'
import { conversationMember } from '../named-conversation.ts'
import type { Charged } from '../surface.ts'

export interface StreamTail extends Charged {
  /** True when the client requested the usage chunk. */
  readonly includeUsage: boolean
  /** The JSON of the provider's usage chunk; null when it sent none. */
  readonly usageData: Buffer | null
  /** The id that the chunks of the stream have; null when they have none. */
  readonly id: string | null
  readonly responseModel: string | null
  /** Unix seconds, for a usage chunk that the gateway writes. */
  readonly created: number
}

const done = 'data: [DONE]\n\n'
const limits = { maxDepth: 64, maxKeys: 10_000 }

/** The last frames of a stream: the usage chunk with its cost if the client requested it, then `[DONE]`. */
export function streamTail(tail: StreamTail): string {
  return tail.includeUsage ? `data: ${usageChunk(tail)}\n\n${done}` : done
}

function usageChunk(tail: StreamTail): string {
  const cost_usd = formatUsd(tail.chargedNano)
  const scan = tail.usageData === null ? null : scanJson(tail.usageData, limits)
  if (!tail.isReported || tail.usageData === null || scan === null || !scan.ok) return ownUsageChunk(tail, cost_usd)
  const usage = editMember(tail.usageData, scan, 'usage', { cost_usd })
  return editTopLevel(tail.usageData, scan, { usage, ...conversationMember(tail) }).toString('utf8')
}

function ownUsageChunk(
  { id, responseModel, usage, created, conversationId = null }: StreamTail,
  costUsd: string,
): string {
  return JSON.stringify({
    id,
    object: 'chat.completion.chunk',
    created,
    model: responseModel,
    choices: [],
    usage: { ...wireUsage(usage), cost_usd: Number(costUsd) },
    ...(conversationId === null ? {} : { conversation_id: conversationId }),
  })
}
