import type { ExchangeKey } from '../exchanges/exchange-reads.ts'
import { chainHash, isInstruction, looseIdentity, messageIdentity } from './message-identity.ts'
import { replyText, textOf, withoutReasoning } from './message-text.ts'
import { shingleSignature } from './shingle-signature.ts'
import { isMessage, type Message, readMessages, type StoredExchange } from './stored-exchange.ts'

/** The reason why an exchange cannot be an example. */
export type Flaw = 'errored' | 'truncated' | 'empty' | 'too_long'

/** The facts that curation needs about an exchange, so that the contents need not be in memory together. */
export interface ExchangeDigest {
  readonly key: ExchangeKey
  readonly createdAtMs: number
  readonly segment: string
  readonly flaw: Flaw | null
  /** Hash of tools, prompt and answer. */
  readonly whole: string
  /** The same hash of the conversation after each answer within the prompt, oldest first. */
  readonly earlier: readonly EarlierAnswer[]
  /** Exchanges that share one of these must be on the same side of a split: beginning, conversation id, trace id. */
  readonly kinship: readonly [beginning: string, ...others: string[]]
  /** Hash of the prompt without its instructions. */
  readonly promptKey: string
  /** For finding near duplicates; null unless requested. */
  readonly signature: Uint32Array | null
}

export interface EarlierAnswer {
  /** Index of the message. */
  readonly at: number
  readonly whole: string
}

export interface DigestOptions {
  /** Examples contain tools, so exchanges with different tools are not duplicates. */
  readonly includeTools: boolean
  readonly nearDuplicates: boolean
}

/** Trainers accept no example with more estimated tokens. */
const maxExampleTokens = 65_536

/** Estimates tokens from the bytes of a JSON text. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 4)
}

/** Shorter prompts, in characters, are compared together with their instructions. */
const distinctiveLength = 32

export function digestExchange(exchange: StoredExchange, options: DigestOptions): ExchangeDigest {
  const messages = readMessages(exchange.messages)
  const response = isMessage(exchange.response) ? exchange.response : null
  const answers = chainAnswers(messages ?? [], options.includeTools ? exchange.tools : null)
  return {
    key: keyOf(exchange),
    createdAtMs: exchange.createdAt.getTime(),
    segment: exchange.segment,
    flaw: findFlaw(exchange, { messages, response }),
    whole: chainHash(answers.end, response === null ? '' : messageIdentity(response)),
    earlier: answers.earlier,
    kinship: kinshipOf(exchange, messages ?? []),
    promptKey: promptKeyOf(messages ?? []),
    signature: options.nearDuplicates ? shingleSignature(spokenText(messages ?? [], response)) : null,
  }
}

function keyOf({ id, createdAt, expiresAt, sizeBytes }: StoredExchange): ExchangeKey {
  return { id, createdAt, expiresAt, sizeBytes }
}

interface Read {
  readonly messages: readonly Message[] | null
  readonly response: Message | null
}

const cutReasons = new Set(['length', 'max_tokens', 'content_filter', 'incomplete'])
const failedReasons = new Set(['error', 'failed', 'cancelled'])

function findFlaw(exchange: StoredExchange, { messages, response }: Read): Flaw | null {
  const reason = exchange.finishReason ?? ''
  if (messages === null || response?.role !== 'assistant' || failedReasons.has(reason)) return 'errored'
  if (cutReasons.has(reason)) return 'truncated'
  if (messages.length === 0 || withoutReasoning(replyText(response)).trim() === '') return 'empty'
  return estimateTokens(exchange.sizeBytes) > maxExampleTokens ? 'too_long' : null
}

function chainAnswers(messages: readonly Message[], tools: unknown) {
  const earlier: EarlierAnswer[] = []
  let end = chainHash('', JSON.stringify(tools ?? null))
  for (const [at, message] of messages.entries()) {
    end = chainHash(end, messageIdentity(message))
    if (message.role === 'assistant' && at < messages.length - 1) earlier.push({ at, whole: end })
  }
  return { end, earlier }
}

function kinshipOf(exchange: StoredExchange, messages: readonly Message[]): ExchangeDigest['kinship'] {
  const opening = messages.findIndex(({ role }) => role === 'user')
  const root = messages.slice(0, opening === -1 ? messages.length : opening + 1)
  const others = [
    ...(exchange.traceId === null ? [] : [`trace ${exchange.traceId}`]),
    ...(exchange.conversationId === null ? [] : [`conversation ${exchange.conversationId}`]),
  ]
  return [`begins ${chainHash('', root.map(looseIdentity).join('\n'))}`, ...others]
}

function promptKeyOf(messages: readonly Message[]): string {
  const conversation = messages.filter((message) => !isInstruction(message))
  const length = conversation.reduce((sum, { content }) => sum + textOf(content).length, 0)
  return chainHash('', (length < distinctiveLength ? messages : conversation).map(looseIdentity).join('\n'))
}

function spokenText(messages: readonly Message[], response: Message | null): string {
  return [...messages, ...(response === null ? [] : [response])].map(looseIdentity).join(' ')
}
