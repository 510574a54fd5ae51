import { kibibyte } from '@ratchet/contracts/byte-sizes'
import { formatUsd } from '@ratchet/contracts/money'
import type { ServedResponse } from '@ratchet/service-kit/http/served'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { editMember, editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { type JsonScan, scanJson } from '@ratchet/service-kit/json/scan-json'
import { conversationMember } from '../surfaces/named-conversation.ts'
import type { ReplayContext, Surface } from '../surfaces/surface.ts'
import { replyLimits } from '../wire/chat/read-reply.ts'
import { noUsage } from '../wire/usage.ts'
import type { ParsedRequest } from './request-records.ts'

export interface Replay {
  readonly surface: Surface
  readonly context: ReplayContext
  /** The stored answer in its unstreamed form. */
  readonly bytes: Buffer
  /** The cost that the replayed answer states, nano-dollars. */
  readonly chargedNano: bigint
  readonly headers: Readonly<Record<string, string>>
  /** The session that the request names, which may be another one than that of the stored answer. */
  readonly conversationId: string | null
  /** Name of the header that states the cost of an unstreamed answer. */
  readonly costHeader: string
}

/** Writes a stored answer, as a stream if the request asks for one. False when the stored bytes cannot be read. */
export function replayAnswer(response: ServedResponse, replay: Replay): boolean {
  const { surface, context, bytes, chargedNano, conversationId } = replay
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) return false
  const charged = { usage: noUsage, isReported: true, chargedNano, conversationId }
  if (context.facts.stream && surface.stream !== null) {
    const frames = surface.stream.replay({ bytes, scan }, charged, context)
    response.writeHead(200, { ...streamHead, ...replay.headers })
    response.end(frames)
  } else {
    writePlain(response, replay, scan)
  }
  return true
}

/** Bytes of a stored answer that are sent without a reservation. */
const smallReplayBytes = 64 * kibibyte

/**
 * Reserves memory for a stored answer, which costs nothing and stays in memory until its client has read it.
 *
 * @throws ServiceError `service_unavailable` when the share of the workspace is used up
 */
export function reserveReplay({ reserveAnswer }: Pick<ParsedRequest, 'reserveAnswer'>, { length }: Buffer): void {
  if (length <= smallReplayBytes || reserveAnswer(length)) return
  throw new ServiceError('service_unavailable', 'Too many large answers are being sent.', { retryAfterSeconds: 1 })
}

/** True when `replayAnswer` can read the stored answer. */
export function isReadable(bytes: Buffer): boolean {
  return scanJson(bytes, replyLimits).ok
}

/** Headers of every stream. `x-accel-buffering` keeps nginx from buffering it. */
export const streamHead = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
}

function writePlain(response: ServedResponse, replay: Replay, scan: JsonScan): void {
  const { bytes, chargedNano, headers, costHeader } = replay
  const cost_usd = formatUsd(chargedNano)
  const usage = editMember(bytes, scan, 'usage', { cost_usd })
  const body = editTopLevel(bytes, scan, { usage, ...conversationMember(replay) })
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...headers,
    [costHeader]: cost_usd,
  })
  response.end(body)
}
