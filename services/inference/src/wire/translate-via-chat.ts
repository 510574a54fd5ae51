import type { UpstreamCall } from '@ratchet/http/upstream-call'
import { scanJson } from '@ratchet/service-kit/json/scan-json'
import { readObject, replyLimits } from './chat/read-reply.ts'
import type { Body, Dialect } from './dialect.ts'
import type { Provider, ProviderFailure, ProviderListener, ProviderReply, ProviderRequest } from './provider.ts'
import { bothFacts, type StreamConverter } from './stream-converter.ts'

/** A request that was translated to a chat completion, or the reason why it cannot be. */
export type ChatRewrite =
  | {
      readonly ok: true
      readonly body: Body
      /** The origins of the messages, parts and tools of `body`. */
      readonly origins: ReadonlyMap<object, string>
    }
  | {
      readonly ok: false
      readonly code: 'invalid_request' | 'unsupported_parameter' | 'unsupported_tool'
      /** The path of the field, as in `tools.0.type`. */
      readonly param: string
      readonly message: string
    }

/** Translates one dialect to chat completions and back. Pure. */
export interface ChatTranslation {
  readonly dialect: Dialect
  toChat(request: ProviderRequest): ChatRewrite
  /** The path in the request of a field in the translation. Never throws. */
  nameField(param: string, rewrite: ChatRewrite & { readonly ok: true }, request: ProviderRequest): string
  /** The answer in the dialect; null when the chat completion cannot be read. */
  fromReply(chat: Body, request: ProviderRequest): Buffer | null
  /** Converts the frames of a chat completion stream to frames of the dialect. */
  fromStream(request: ProviderRequest): StreamConverter
}

/** A provider that also answers in `translation.dialect`, by translating it to chat completions and back. */
export function translateViaChat(provider: Provider, translation: ChatTranslation): Provider {
  return {
    dialects: new Set([translation.dialect]),
    start(request, listener) {
      const rewrite = translation.toChat(request)
      if (!rewrite.ok) return refuse(listener, rewrite)
      return provider.start(chatRequest(request, rewrite.body), listenTo({ request, rewrite, translation, listener }))
    },
  }
}

function refuse(listener: ProviderListener, { message, param, code }: ChatRewrite & { ok: false }): UpstreamCall {
  listener.onFailure({ kind: 'refused', message, param, code, retryAfterMs: null })
  return { abort() {}, pause() {}, resume() {} }
}

function chatRequest(request: ProviderRequest, body: Body): ProviderRequest {
  const bytes = Buffer.from(JSON.stringify(body))
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) throw new Error(`a translated request cannot be scanned: ${scan.reason}`)
  return { ...request, dialect: 'chat', bytes, scan, body }
}

interface Translated {
  readonly request: ProviderRequest
  readonly rewrite: ChatRewrite & { readonly ok: true }
  readonly translation: ChatTranslation
  readonly listener: ProviderListener
}

function listenTo({ request, rewrite, translation, listener }: Translated): ProviderListener {
  const converter = request.stream ? translation.fromStream(request) : null
  const emit = (bytes: Buffer | undefined) => {
    if (bytes !== undefined && bytes.length > 0) listener.onStreamData(bytes)
  }
  return {
    onReply(chat) {
      const reply = translatedReply(chat, translation, request)
      if (reply !== null) return listener.onReply(reply)
      const message = 'The provider sent an answer that cannot be read.'
      listener.onFailure({ kind: 'broken', message, retryAfterMs: null, spent: { usage: chat.usage, hiddenTokens: 0 } })
    },
    onStreamData(chunk) {
      emit(converter?.push(chunk))
    },
    onStreamStart: (facts) => listener.onStreamStart(converter === null ? facts : bothFacts(facts, converter.facts)),
    onStreamEnd() {
      emit(converter?.end())
      listener.onStreamEnd()
    },
    onFailure(failure) {
      const { param } = failure
      const name = param === undefined ? undefined : translation.nameField(param, rewrite, request)
      listener.onFailure(param === undefined || name === undefined ? failure : renamed(failure, { param, name }))
    },
  }
}

/** A failure that names the field as the client's dialect does. Messages of the gateway begin with the field's name. */
function renamed(failure: ProviderFailure, { param, name }: { param: string; name: string }): ProviderFailure {
  const { message } = failure
  const reported = message.startsWith(`${param} `) ? name + message.slice(param.length) : message
  return { ...failure, param: name, message: reported }
}

function translatedReply(
  chat: ProviderReply,
  translation: ChatTranslation,
  request: ProviderRequest,
): ProviderReply | null {
  const read = readObject(chat.bytes)
  const bytes = read === null ? null : translation.fromReply(read.body, request)
  const translated = bytes === null ? null : readObject(bytes)
  if (bytes === null || translated === null) return null
  return { bytes, scan: translated.scan, usage: chat.usage, pieces: chat.pieces }
}
