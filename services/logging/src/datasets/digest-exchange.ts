import type { ExchangeKey } from '../exchanges/exchange-reads.ts'
import { chainHash, isInstruction, looseIdentity, messageIdentity } from './message-identity.ts'
import { replyText, textOf, withoutReasoning } from './message-text.ts'
import { type PromptSketch, promptSketch } from './prompt-sketch.ts'
import { shingleSignature } from './shingle-signature.ts'
import { isMessage, type Message, readMessages, type StoredExchange } from './stored-exchange.ts'

/** The reason why an exchange cannot be an example. */
export type Flaw = 'errored' | 'truncated' | 'empty' | 'too_long' | 'judge_failed' | 'judge_unscored'

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
  /** Hash of prompt and answer without instructions, which an application may change at each turn. */
  readonly talk: string
  /** The talk is long enough that two exchanges do not have it in common by chance. */
  readonly isDistinctive: boolean
  /** Hash of the instructions. */
  readonly instructions: string
  /** Exchanges that share one of these are of one family: beginning, conversation id, trace id. */
  readonly kinship: readonly [beginning: string, ...others: string[]]
  /** Keys of its trace and of its conversation id. */
  readonly threads: readonly string[]
  /** Hash of the prompt without its instructions. */
  readonly promptKey: string
  /** What users asked: in the complete prompt, and at its beginning if that is not all. */
  readonly asked: readonly PromptSketch[]
  /** For finding near duplicates; null unless requested. */
  readonly signature: Uint32Array | null
}

export interface EarlierAnswer {
  /** Index of the message. */
  readonly at: number
  readonly whole: string
  readonly talk: string
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

/** Shorter texts, in characters, may be equal by chance. */
const distinctiveLength = 32

/** Computes the digest of an exchange. Yields from time to time, because an exchange may have thousands of messages. */
export function* digestExchange(exchange: StoredExchange, options: DigestOptions): Generator<void, ExchangeDigest> {
  const messages = readMessages(exchange.messages)
  const response = isMessage(exchange.response) ? exchange.response : null
  const flaw = findFlaw(exchange, { messages, response })
  const answers = yield* chainAnswers(messages ?? [], options.includeTools ? exchange.tools : null)
  const answer = response === null ? '' : messageIdentity(response)
  const read = yield* readLoosely(messages ?? [])
  const ending = response === null ? [] : [looseIdentity(response)]
  const spoken = read.filter(({ message }) => !isInstruction(message))
  const asked = yield* questionsOf(messages ?? [])
  const threads = threadsOf(exchange)
  const hasSignature = options.nearDuplicates && flaw === null
  return {
    key: keyOf(exchange),
    createdAtMs: exchange.createdAt.getTime(),
    segment: exchange.segment,
    flaw,
    whole: chainHash(answers.end.whole, answer),
    talk: chainHash(answers.end.talk, answer),
    isDistinctive: [...spoken.map(({ loose }) => loose), ...ending].join(' ').length >= distinctiveLength,
    instructions: chainHash('', textOfAll(read.filter(({ message }) => isInstruction(message)))),
    earlier: answers.earlier,
    kinship: [beginningOf(read), ...asked.map(({ id }) => askedKey(id)), ...threads],
    threads,
    promptKey: promptKeyOf(read, spoken),
    asked,
    signature: hasSignature ? yield* shingleSignature([...read.map(({ loose }) => loose), ...ending].join(' ')) : null,
  }
}

/** A message with its loose identity, which is computed once. */
interface ReadLoosely {
  readonly message: Message
  readonly loose: string
}

function* readLoosely(messages: readonly Message[]): Generator<void, readonly ReadLoosely[]> {
  const read: ReadLoosely[] = []
  for (const message of messages) {
    read.push({ message, loose: looseIdentity(message) })
    yield
  }
  return read
}

function textOfAll(read: readonly ReadLoosely[]): string {
  return read.map(({ loose }) => loose).join('\n')
}

function keyOf({ id, createdAt, expiresAt, sizeBytes }: StoredExchange): ExchangeKey {
  return { id, createdAt, expiresAt, sizeBytes }
}

interface Read {
  readonly messages: readonly Message[] | null
  readonly response: Message | null
}

const cutReasons = new Set(['length', 'max_tokens', 'incomplete'])
/** An answer that a filter stopped is not a short answer: there is nothing in it to learn. */
const failedReasons = new Set(['error', 'failed', 'cancelled', 'content_filter'])

function findFlaw(exchange: StoredExchange, { messages, response }: Read): Flaw | null {
  const reason = exchange.finishReason ?? ''
  if (messages === null || response?.role !== 'assistant' || failedReasons.has(reason)) return 'errored'
  if (cutReasons.has(reason)) return 'truncated'
  if (messages.length === 0 || withoutReasoning(replyText(response)).trim() === '') return 'empty'
  return estimateTokens(exchange.sizeBytes) > maxExampleTokens ? 'too_long' : null
}

function* chainAnswers(messages: readonly Message[], tools: unknown) {
  const earlier: EarlierAnswer[] = []
  const beginning = chainHash('', JSON.stringify(tools ?? null))
  let end = { whole: beginning, talk: beginning }
  for (const [at, message] of messages.entries()) {
    const identity = messageIdentity(message)
    const whole = chainHash(end.whole, identity)
    end = { whole, talk: isInstruction(message) ? end.talk : chainHash(end.talk, identity) }
    if (message.role === 'assistant' && at < messages.length - 1) earlier.push({ at, ...end })
    yield
  }
  return { end, earlier }
}

function threadsOf({ traceId, conversationId }: StoredExchange): readonly string[] {
  return [
    ...(traceId === null ? [] : [`trace ${traceId}`]),
    ...(conversationId === null ? [] : [`conversation ${conversationId}`]),
  ]
}

/** The key of the exchanges in which a question is asked. */
export function askedKey(id: PromptSketch['id']): string {
  return `asks ${id}`
}

function beginningOf(read: readonly ReadLoosely[]): string {
  const first = read.findIndex(({ message }) => message.role === 'user')
  return `begins ${chainHash('', textOfAll(read.slice(0, first === -1 ? read.length : first + 1)))}`
}

/** Questions with fewer hashes, such as "hi", are asked in unrelated conversations too. */
const minQuestionHashes = 8

/** The first question that is not short, and all questions together: what is compared with other conversations. */
function* questionsOf(messages: readonly Message[]): Generator<void, readonly PromptSketch[]> {
  const users = messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
  const first = yield* firstLongSketch(users)
  if (first === null) return []
  const all = users.length === 1 ? first : promptSketch(users.join('\n'))
  return all === null || all.id === first.id ? [first] : [first, all]
}

function* firstLongSketch(texts: readonly string[]): Generator<void, PromptSketch | null> {
  for (const text of texts) {
    const sketch = promptSketch(text)
    if (sketch !== null && sketch.hashes.length >= minQuestionHashes) return sketch
    yield
  }
  return null
}

function promptKeyOf(read: readonly ReadLoosely[], spoken: readonly ReadLoosely[]): string {
  const length = spoken.reduce((sum, { message }) => sum + textOf(message.content).length, 0)
  return chainHash('', textOfAll(length < distinctiveLength ? read : spoken))
}
