import type { CallClocks, UpstreamCall } from '@ratchet/http/upstream-call'
import type { Dispatcher } from 'undici'
import type { ChatHead } from '../../wire/chat/write-chat.ts'
import type { Provider, ProviderFailure, ProviderListener, ProviderRequest } from '../../wire/provider.ts'
import { refuse } from '../../wire/refusal.ts'
import { fitChatBody } from '../fit-chat-body.ts'
import { fitEffort } from '../fit-effort.ts'
import { type ProviderCall, startProviderCall } from '../provider-call.ts'
import { failureOfCall } from '../provider-error.ts'
import { createSigner } from './authorize.ts'
import type { BedrockCredentials } from './bedrock-credentials.ts'
import { bedrockFailure } from './bedrock-error.ts'
import { chatRules } from './chat-parameters.ts'
import type { ConverseBody } from './converse-body.ts'
import { readConverseUsage } from './converse-usage.ts'
import { convertReply } from './convert-reply.ts'
import { convertRequest } from './convert-request.ts'
import { convertStream } from './convert-stream.ts'
import { effortsOf } from './reasoning-fields.ts'
import { startLater } from './start-later.ts'

export interface BedrockProviderOptions {
  readonly upstream: Dispatcher
  /** The host of the upstream, with its port if that is not the default of the scheme. A signature covers it. */
  readonly host: string
  /** Path below the origin that `/model/…` is appended to, such as `` or `/bedrock`. */
  readonly basePath: string
  readonly credentials: BedrockCredentials
  /** The region of the upstream. */
  readonly region: string
  readonly clocks: CallClocks
  readonly now: () => Date
}

type Send = (call: Omit<ProviderCall, 'upstream' | 'clocks' | 'headers'>, listener: ProviderListener) => UpstreamCall

/** Amazon Bedrock through its Converse API. */
export function bedrockProvider(options: BedrockProviderOptions): Provider {
  const { credentials, now, basePath } = options
  const send = credentials.kind === 'bearer' ? sendWithKey(options, credentials.key) : sendSigned(options, credentials)
  return {
    dialects: new Set(['chat']),
    start(request, listener) {
      const { model, leniency } = request
      const fit = fitChatBody(request.body, chatRules, leniency)
      const conversion = convertRequest({ model, body: fitEffort(fit, effortsOf(model.upstreamModel), leniency) })
      if (!conversion.ok) return refuse(listener, conversion.refusal)
      return send(callOf(request, { basePath, body: conversion.body, created: unixSeconds(now()) }), listener)
    },
  }
}

function callOf(
  { model, requestId, stream, limits }: ProviderRequest,
  { basePath, body, created }: { readonly basePath: string; readonly body: ConverseBody; readonly created: number },
): Parameters<Send>[0] {
  const head: ChatHead = { id: `chatcmpl-${requestId}`, created, model: model.upstreamModel }
  const operation = stream ? 'converse-stream' : 'converse'
  return {
    path: `${basePath}/model/${encodeURIComponent(model.upstreamModel)}/${operation}`,
    body: Buffer.from(JSON.stringify(body)),
    limits,
    streamType: stream ? 'application/vnd.amazon.eventstream' : null,
    converter: stream ? convertStream(head) : null,
    readReply: (bytes) => convertReply(bytes, head),
    usageAt: { member: 'usage', read: (value) => readConverseUsage(value, head.model) },
    readFailure: bedrockFailure,
  }
}

function sendWithKey({ upstream, clocks }: BedrockProviderOptions, key: string): Send {
  const headers = { authorization: `Bearer ${key}` }
  return (call, listener) => startProviderCall({ ...call, upstream, clocks, headers }, listener)
}

function sendSigned(
  { upstream, clocks, host, region, now }: BedrockProviderOptions,
  credentials: BedrockCredentials & { kind: 'signature' },
): Send {
  const sign = createSigner(credentials, region)
  return (call, listener) =>
    startLater({
      ready: sign({ host, path: call.path, body: call.body, at: now() }),
      start: (headers) => startProviderCall({ ...call, upstream, clocks, headers }, listener),
      notStarted: (why, cause) => listener.onFailure(why === 'aborted' ? stopped() : unsigned(cause)),
    })
}

function stopped(): ProviderFailure {
  return failureOfCall({ kind: 'aborted', cause: undefined }, false)
}

function unsigned(cause: unknown): ProviderFailure {
  return { kind: 'misconfigured', message: 'The request could not be signed.', retryAfterMs: null, cause }
}

function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1_000)
}
