import { scanJson } from '@ratchet/service-kit/json/scan-json'
import type { LogRow } from '../ledger/ledger.ts'
import type { AnswerContext, Surface } from '../surfaces/surface.ts'
import { replyLimits } from '../wire/chat/read-reply.ts'
import type { ReplyBytes } from '../wire/provider.ts'
import type { PricedAnswer } from './price-answer.ts'

/** A complete answer as completion hooks get it. */
export interface FinishedAnswer {
  /** The answer in its unstreamed form, with its usage and its cost. */
  readonly bytes: Buffer
  /** The catalog id of the model that answered. */
  readonly servedModel: string
  /** The provider of that model. */
  readonly provider: string
  readonly costNano: bigint
  /** Tokens of prompt and completion; 0 when the answer came from the cache. */
  readonly tokens: number
  readonly fromCache: boolean
  /** When the first byte of a stream was sent; absent when none was, or when the answer is not streamed. */
  readonly firstByteAt?: Date
  /** Milliseconds that the answer took; set for internal calls only, whose callers measure latency. */
  readonly latencyMs?: number
}

/** Is called with the outcome of a request: `beforeCharge` and `afterCharge` for a complete answer, else `abandoned`. */
export interface CompletionHook {
  /** Resolves when the hook has stored what must be stored before the answer may be charged. */
  beforeCharge?(answer: FinishedAnswer): Promise<void>
  /** The row that the log will get for the answer, decided when it is charged; null for none. */
  logRow?(answer: FinishedAnswer): LogRow | null
  /** Resolves when the last byte may be sent. */
  afterCharge?(answer: FinishedAnswer): Promise<void>
  /** There is no complete answer that could be stored: the provider failed, or the client disconnected. */
  abandoned?(tokensUsed: number): void
}

export interface WholeAnswer {
  readonly surface: Surface
  readonly reply: ReplyBytes
  readonly priced: PricedAnswer
  readonly context: AnswerContext
  /** Maximum that can be charged. */
  readonly holdNano: bigint
}

/** @param latencyMs see `FinishedAnswer.latencyMs` */
export function finishAnswer(
  { surface, reply, priced, context, holdNano }: WholeAnswer,
  latencyMs?: number,
): FinishedAnswer {
  const { usage } = priced
  const { model } = context.request
  const costNano = priced.costNano < holdNano ? priced.costNano : holdNano
  const { isReported } = priced
  const bytes = surface.finishReply(reply, { usage, isReported, chargedNano: costNano }, context)
  const answer = {
    bytes,
    servedModel: model.id,
    provider: model.provider,
    costNano,
    tokens: usage.promptTokens + usage.completionTokens,
    fromCache: false,
  }
  return latencyMs === undefined ? answer : { ...answer, latencyMs }
}

/** Finishes an answer that was assembled from its stream; null when it could not be assembled. */
export function finishStream(bytes: Buffer | null, answer: Omit<WholeAnswer, 'reply'>): FinishedAnswer | null {
  const scan = bytes === null ? null : scanJson(bytes, replyLimits)
  if (bytes === null || scan === null || !scan.ok) return null
  return finishAnswer({ ...answer, reply: { bytes, scan } })
}

/** All hooks of one request as one hook, which passes on a single outcome; null when there is none. */
export function combineHooks(hooks: readonly (CompletionHook | null)[]): Required<CompletionHook> | null {
  const present = hooks.filter((completionHook) => completionHook !== null)
  if (present.length === 0) return null
  const needed = present.filter(({ beforeCharge }) => beforeCharge !== undefined)
  let isOver = false
  return {
    async beforeCharge(answer) {
      for (const completionHook of needed) await completionHook.beforeCharge?.(answer)
    },
    logRow: (answer) => present.map((completionHook) => completionHook.logRow?.(answer)).find((row) => row) ?? null,
    async afterCharge(answer) {
      isOver = true
      for (const completionHook of present) await completionHook.afterCharge?.(answer)
    },
    abandoned(tokensUsed) {
      if (isOver) return
      isOver = true
      for (const completionHook of present) completionHook.abandoned?.(tokensUsed)
    },
  }
}
