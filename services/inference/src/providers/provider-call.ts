import type { IncomingHttpHeaders } from 'node:http'
import { kibibyte, mebibyte } from '@ratchet/contracts/byte-sizes'
import {
  type CallClocks,
  startUpstreamCall,
  type UpstreamCall,
  type UpstreamListener,
} from '@ratchet/http/upstream-call'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { createCarry } from '@ratchet/service-kit/sse/carry'
import { parseJson } from '@ratchet/service-kit/values/json'
import type { Dispatcher } from 'undici'
import type { AnswerLimits } from '../wire/answer-limits.ts'
import { replyLimits } from '../wire/chat/read-reply.ts'
import type { ProviderFailure, ProviderListener, ProviderReply } from '../wire/provider.ts'
import type { StreamConverter } from '../wire/stream-converter.ts'
import type { Usage } from '../wire/usage.ts'
import { failureOfCall, failureOfStatus, noRoomForAnswer, tooLargeAnswer, unreadableAnswer } from './provider-error.ts'

export interface ProviderCall {
  readonly upstream: Dispatcher
  readonly clocks: CallClocks
  /** Path and query at the upstream's origin. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** How large the answer may become; a larger one is aborted. */
  readonly limits: Pick<AnswerLimits, 'maxStreamBytes' | 'maxReplyBytes' | 'reserve'>
  /** The media type of a streamed answer; null when the request is not streamed. */
  readonly streamType: 'text/event-stream' | 'application/vnd.amazon.eventstream' | null
  /** Converts the stream; null when it is in the request's dialect already. */
  readonly converter: StreamConverter | null
  /** Reads a complete 200; null when it has another format, a failure when it reports one. */
  readonly readReply: (bytes: Buffer) => ProviderReply | ProviderFailure | null
  /** Where a complete answer states its usage, for one that cannot be read because it is nested too deep. */
  readonly usageAt?: { readonly member: string; readonly read: (value: unknown) => Usage | null }
  /** Reads an error answer, for providers whose errors differ from OpenAI's. */
  readonly readFailure?: (status: number, headers: IncomingHttpHeaders, body: Buffer) => ProviderFailure
}

/** Bytes of an answer that are collected without a reservation. */
const smallReplyBytes = 64 * kibibyte
/** Bytes of a stream that are read in one turn, so that others wait for at most some milliseconds whatever they contain. */
const streamPieceBytes = 2 * kibibyte
/** More than any usage has. */
const maxUsageBytes = 16 * kibibyte
/** Maximum bytes of an error. */
const maxErrorBytes = mebibyte

/** Sends a request and reports its answer in the request's dialect. Every adapter uses it. */
export function startProviderCall(call: ProviderCall, listener: ProviderListener): UpstreamCall {
  const { upstream, path, body, clocks, streamType } = call
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'ratchet',
    accept: streamType ?? 'application/json',
    ...call.headers,
  }
  const started: UpstreamCall = startUpstreamCall(
    upstream,
    { method: 'POST', path, headers, body, clocks, ...(streamType === null ? {} : { pieceBytes: streamPieceBytes }) },
    listenTo(call, listener, () => started.abort()),
  )
  return started
}

/** Reads one answer. A stream is passed on as it arrives, everything else is collected first. */
function listenTo(call: ProviderCall, listener: ProviderListener, abort: () => void): UpstreamListener {
  const readFailure = call.readFailure ?? failureOfStatus
  let status = 0
  let headers: IncomingHttpHeaders = {}
  let streaming = false
  let maxBytes = maxErrorBytes
  let length = 0
  let hasRoom = true
  const collected = createCarry()
  const emit = (bytes: Buffer) => {
    if (bytes.length > 0) listener.onStreamData(bytes)
  }
  return {
    onHead(answered, head) {
      status = answered
      headers = head
      streaming = call.streamType !== null && status === 200 && isOfType(head, call.streamType)
      if (status === 200) maxBytes = streaming ? call.limits.maxStreamBytes : call.limits.maxReplyBytes
      if (streaming) listener.onStreamStart(call.converter?.facts ?? null)
    },
    onData(chunk) {
      length += chunk.length
      if (length > maxBytes) return abort()
      if (streaming) return emit(call.converter === null ? chunk : call.converter.push(chunk))
      hasRoom &&= mayCollect(call, length, chunk.length)
      if (!hasRoom) return abort()
      collected.append(chunk)
    },
    onEnd() {
      if (streaming) {
        if (call.converter !== null) emit(call.converter.end())
        return listener.onStreamEnd()
      }
      const body = collected.take()
      if (status !== 200) return listener.onFailure(withoutSecrets(call, readFailure(status, headers, body)))
      const reply = call.streamType === null ? call.readReply(body) : null
      if (reply === null) return listener.onFailure(unreadableAnswer(usageIn(call, body)))
      if ('kind' in reply) return listener.onFailure(reply)
      listener.onReply(reply)
    },
    onFailure(failure) {
      if (!hasRoom) return listener.onFailure(noRoomForAnswer(length))
      listener.onFailure(length > maxBytes ? tooLargeAnswer() : failureOfCall(failure, status !== 0))
    },
  }
}

/** Parses the usage alone, however deep the rest is. */
function usageIn({ usageAt }: ProviderCall, bytes: Buffer): Usage | null {
  if (usageAt === undefined) return null
  const scan = scanJson(bytes, { ...replyLimits, maxDepth: Number.POSITIVE_INFINITY })
  const span = scan.ok ? scan.topLevel.get(usageAt.member) : undefined
  if (span === undefined || span.end - span.start > maxUsageBytes) return null
  return usageAt.read(parseJson(bytes.toString('utf8', span.start, span.end)))
}

/** @param length bytes of the answer so far, with the added ones */
function mayCollect({ limits }: ProviderCall, length: number, added: number): boolean {
  if (limits.reserve === undefined || length <= smallReplyBytes) return true
  return limits.reserve(length - added <= smallReplyBytes ? length : added)
}

function isOfType(headers: IncomingHttpHeaders, type: string): boolean {
  return headers['content-type']?.startsWith(type) ?? false
}

/** Headers that may contain credentials. */
const secretHeaders = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key', 'x-amz-security-token'] as const

/** A provider may repeat the key in its error message, which must not reach the client. */
function withoutSecrets({ headers }: ProviderCall, failure: ProviderFailure): ProviderFailure {
  const secrets = secretHeaders.flatMap((name) => headers[name]?.split(' ').at(-1) ?? [])
  const message = secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), failure.message)
  return { ...failure, message }
}
