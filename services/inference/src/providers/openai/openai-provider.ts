import type { IncomingHttpHeaders } from 'node:http'
import {
  type CallClocks,
  startUpstreamCall,
  type UpstreamCall,
  type UpstreamListener,
} from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { ChatListener, ChatProvider, ProviderChatRequest } from '../provider.ts'
import { convertReply } from './convert-reply.ts'
import { convertRequest } from './convert-request.ts'
import { failureOfCall, failureOfStatus, unreadableAnswer } from './openai-error.ts'

export interface OpenAiProviderOptions {
  readonly upstream: Dispatcher
  /** Path below the origin that `/chat/completions` is appended to, such as `/v1`. */
  readonly basePath: string
  readonly apiKey: string
  readonly clocks: CallClocks
}

/** Bytes of a whole answer, or of an error, beyond which we stop reading. */
const longestReply = 32 * 1024 * 1024

/** OpenAI itself and everything that speaks its Chat Completions on the wire. */
export function openAiProvider({ upstream, basePath, apiKey, clocks }: OpenAiProviderOptions): ChatProvider {
  const path = `${basePath}/chat/completions`
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'user-agent': 'ratchet' }
  return {
    startChat(request, listener) {
      const body = convertRequest(request)
      const call: UpstreamCall = startUpstreamCall(
        upstream,
        {
          method: 'POST',
          path,
          headers: {
            ...headers,
            accept: request.facts.stream ? 'text/event-stream' : 'application/json',
            'x-client-request-id': request.requestId,
          },
          body,
          clocks,
        },
        listenTo(request, listener, () => call.abort()),
      )
      return call
    },
  }
}

/** Reads one answer: a stream is passed on as it comes, everything else is collected first. */
function listenTo({ facts }: ProviderChatRequest, listener: ChatListener, abort: () => void): UpstreamListener {
  let status = 0
  let headers: IncomingHttpHeaders = {}
  let streaming = false
  const chunks: Buffer[] = []
  let length = 0
  return {
    onHead(answered, head) {
      status = answered
      headers = head
      streaming = facts.stream && status === 200 && isEventStream(head)
    },
    onData(chunk) {
      if (streaming) return listener.onStreamData(chunk)
      length += chunk.length
      if (length > longestReply) return abort()
      chunks.push(chunk)
    },
    onEnd() {
      if (streaming) return listener.onStreamEnd()
      const body = Buffer.concat(chunks)
      if (status !== 200) return listener.onFailure(failureOfStatus(status, headers, body))
      const reply = facts.stream ? null : convertReply(body)
      if (reply === null) return listener.onFailure(unreadableAnswer())
      listener.onReply(reply)
    },
    onFailure(failure) {
      const tooLong = length > longestReply
      listener.onFailure(tooLong ? unreadableAnswer() : failureOfCall(failure, status !== 0))
    },
  }
}

function isEventStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false
}
