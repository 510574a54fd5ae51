import type { ExchangeKey } from '../exchange-reads.ts'
import { chainHash, isInstruction, looseIdentity, messageIdentity } from './message-identity.ts'
import { replyText, textOf, withoutReasoning } from './message-text.ts'
import { shingleSignature } from './shingle-signature.ts'
import { isMessage, type Message, readMessages, type StoredExchange } from './stored-exchange.ts'

/** Why an exchange by itself can be no example. */
export type Flaw = 'errored' | 'truncated' | 'empty' | 'too_long'

/** What curation needs to know of an exchange, so that it need not hold the content of all of them. */
export interface ExchangeDigest {
  readonly key: ExchangeKey
  readonly createdAtMs: number
  readonly segment: string
  readonly flaw: Flaw | null
  /** Names tools, prompt and answer together. */
  readonly whole: string
  /** The same for the conversation as it was after each answer inside the prompt, oldest first. */
  readonly earlier: readonly EarlierAnswer[]
  /** What must not stand on both sides of a split with this one: how the conversation began, its id, its trace. */
  readonly kinship: readonly [beginning: string, ...others: string[]]
  /** Names the prompt, whatever instructions came before it. */
  readonly promptKey: string
  /** For telling near duplicates; null unless they are asked for. */
  readonly signature: Uint32Array | null
}

export interface EarlierAnswer {
  /** Index of the message. */
  readonly at: number
  readonly whole: string
}

export interface DigestOptions {
  /** Whether examples carry tools: an exchange with other tools is then another one. */
  readonly includeTools: boolean
  readonly nearDuplicates: boolean
}

/** Estimated tokens beyond which no trainer takes an example. */
const exampleTokensMax = 65_536

/** Estimates tokens from the bytes of a JSON text. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / 4)
}

/** Prompts as short as this mean nothing without their instructions. */
const distinctiveLength = 32

export function digestExchange(exchange: StoredExchange, options: DigestOptions): ExchangeDigest {
  const messages = readMessages(exchange.messages)
  const response = isMessage(exchange.response) ? exchange.response : null
  const answers = chainAnswers(messages ?? [], options.includeTools ? exchange.tools : null)
  return {
    key: { id: exchange.id, expiresAt: exchange.expiresAt, sizeBytes: exchange.sizeBytes },
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
  return estimateTokens(exchange.sizeBytes) > exampleTokensMax ? 'too_long' : null
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
  const asked = messages.filter((message) => !isInstruction(message))
  const length = asked.reduce((sum, { content }) => sum + textOf(content).length, 0)
  return chainHash('', (length < distinctiveLength ? messages : asked).map(looseIdentity).join('\n'))
}

function spokenText(messages: readonly Message[], response: Message | null): string {
  return [...messages, ...(response === null ? [] : [response])].map(looseIdentity).join(' ')
}
