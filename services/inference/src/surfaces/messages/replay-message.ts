import { nanoToUsd } from '@ratchet/contracts/money'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readExactObject } from '../../wire/json/exact-json.ts'
import { messageEvent, wireMessagesUsage } from '../../wire/messages/message-event.ts'
import type { ReplyBytes } from '../../wire/provider.ts'
import type { Charged } from '../surface.ts'

/** A stream of a complete message, with each block in one delta. */
export function replayMessage({ bytes }: Pick<ReplyBytes, 'bytes'>, charged: Charged): string {
  const message = readExactObject(bytes) ?? {}
  const { content, usage: said, stop_reason, stop_sequence, stop_details, container, ...head } = message
  const counts = { ...asObject(said), ...(charged.isReported ? {} : wireMessagesUsage(charged.usage)) }
  const { cost_usd: _before, ...usage }: Fields = counts
  const start = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 0 } }
  const delta = { stop_reason, stop_sequence: stop_sequence ?? null, stop_details, container }
  const { conversationId = null } = charged
  const named = conversationId === null ? {} : { conversation_id: conversationId }
  const blocks = Array.isArray(content) ? content : []
  return [
    messageEvent('message_start', { message: start }),
    ...blocks.flatMap((block, index) => blockEvents(asObject(block) ?? {}, index)),
    messageEvent('message_delta', { delta, usage: { ...usage, cost_usd: nanoToUsd(charged.chargedNano) }, ...named }),
    messageEvent('message_stop', {}),
  ].join('')
}

function blockEvents(block: Fields, index: number): string[] {
  const { begun, deltas } = takeApart(block)
  return [
    messageEvent('content_block_start', { index, content_block: begun }),
    ...deltas.map((delta) => messageEvent('content_block_delta', { index, delta })),
    messageEvent('content_block_stop', { index }),
  ]
}

interface Parts {
  readonly begun: Fields
  readonly deltas: readonly Fields[]
}

/** The start of a block and the delta that completes it. Blocks of other types are sent complete. */
function takeApart(block: Fields): Parts {
  const { text, citations, thinking, signature, input } = block
  switch (block.type) {
    case 'text':
      return {
        begun: { ...block, text: '', ...(Array.isArray(citations) ? { citations: [] } : {}) },
        deltas: [
          { type: 'text_delta', text },
          ...(Array.isArray(citations) ? citations.map((citation) => ({ type: 'citations_delta', citation })) : []),
        ],
      }
    case 'thinking':
      return {
        begun: { ...block, thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking },
          { type: 'signature_delta', signature },
        ],
      }
    case 'tool_use':
    case 'server_tool_use':
      return {
        begun: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input ?? {}) }],
      }
    default:
      return { begun: block, deltas: [] }
  }
}
