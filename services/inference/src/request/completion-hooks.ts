import type { AnswerContext, Surface } from '../surfaces/surface.ts'
import { replyLimits } from '../wire/chat/read-reply.ts'
import { scanJson } from '../wire/json/scan-json.ts'
import type { ProviderReply, ProviderRequest } from '../wire/provider.ts'
import type { PricedAnswer } from './price-answer.ts'

/** A whole answer, as those see it who keep it. */
export interface KeptAnswer {
  /** Unstreamed and finished: with its usage and what it cost. */
  readonly bytes: Buffer
  /** As it went to the model that answered. */
  readonly served: ProviderRequest
  readonly costNano: bigint
  /** Tokens of prompt and completion; 0 when it came from the cache. */
  readonly tokens: number
  readonly fromCache: boolean
  /** When the first byte of a stream left; absent when none has yet, or there is no stream. */
  readonly firstByteAt?: Date
  /** What the fleet is told of the time it took, milliseconds; absent where nobody is. */
  readonly latencyMs?: number
}

/** Hears how an exchange ends: by `beforeCharge` and `afterCharge` when the answer is whole, else by `abandoned`. */
export interface CompletionHook {
  /** Resolves when the answer is where it has to be before it may be charged. */
  beforeCharge?(answer: KeptAnswer): Promise<void>
  /** Resolves when the last byte may leave. */
  afterCharge?(answer: KeptAnswer): Promise<void>
  /** There will be no whole answer, or none that could be kept: the provider failed, or the client left. */
  abandoned?(tokensUsed: number): void
}

export interface WholeAnswer {
  readonly surface: Surface
  readonly reply: Pick<ProviderReply, 'bytes' | 'scan'>
  readonly priced: PricedAnswer
  readonly context: AnswerContext
  /** The most that can be charged. */
  readonly holdNano: bigint
}

export function keptAnswer({ surface, reply, priced, context, holdNano }: WholeAnswer): KeptAnswer {
  const { usage } = priced
  const costNano = priced.costNano < holdNano ? priced.costNano : holdNano
  const bytes = surface.finishReply(reply, { ...priced, chargedNano: costNano }, context)
  return {
    bytes,
    served: context.request,
    costNano,
    tokens: usage.promptTokens + usage.completionTokens,
    fromCache: false,
  }
}

/** The same of an answer that was put together from its stream; null when it could not be. */
export function keptStream(bytes: Buffer | null, answer: Omit<WholeAnswer, 'reply'>): KeptAnswer | null {
  const scan = bytes === null ? null : scanJson(bytes, replyLimits)
  if (bytes === null || scan === null || !scan.ok) return null
  return keptAnswer({ ...answer, reply: { bytes, scan } })
}

/** Everybody who keeps the answer of one exchange, as one, who hears of one end only; null for nobody. */
export function combineHooks(hooks: readonly (CompletionHook | null)[]): Required<CompletionHook> | null {
  const present = hooks.filter((completionHook) => completionHook !== null)
  if (present.length === 0) return null
  let isOver = false
  return {
    async beforeCharge(answer) {
      for (const completionHook of present) await completionHook.beforeCharge?.(answer)
    },
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
