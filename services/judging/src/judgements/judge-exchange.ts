import type { Identity } from '@ratchet/contracts/identity'
import { askForAnswer } from '@ratchet/judge-kit/fleet/ask-for-answer'
import type { ModelReply } from '@ratchet/judge-kit/fleet/ask-model'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import type { FleetCallError, FleetClient } from '@ratchet/service-kit/fleet-client'
import { buildJudgePrompt } from './build-judge-prompt.ts'
import { judgeRequest } from './judge-request.ts'
import { type JudgeVerdict, parseVerdict } from './parse-verdict.ts'

export interface JudgeExchangeDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

export interface ExchangeToJudge {
  /** The same whenever this is tried again. */
  readonly judgementId: string
  /** Who pays, with the cap on it. */
  readonly identity: Identity
  /** What makes an answer fail. */
  readonly criterion: string
  readonly judgeModel: string
  readonly exchange: JudgedExchange
  /** The Idempotency-Key of the question with this body. */
  readonly keyOf: (body: string) => string
}

/** What a judge made of an exchange. */
export type Finding =
  | ({ readonly kind: 'verdict' } & JudgeVerdict)
  /** It was asked twice. */
  | { readonly kind: 'unparseable' }
  /** It was not asked. */
  | { readonly kind: 'too_large' }
  | { readonly kind: 'refused'; readonly refusal: FleetCallError }

export interface JudgedResult {
  readonly finding: Finding
  /** All that were paid for, in order. */
  readonly replies: readonly ModelReply[]
}

/** @throws FleetCallError when the catalog of models cannot be read now */
export type JudgeExchange = (item: ExchangeToJudge) => Promise<JudgedResult>

/** Judges exchanges through inference. A judge that gives no verdict is asked the same once more. */
export function createJudgeExchange(deps: JudgeExchangeDeps): JudgeExchange {
  const traitsOf = createModelTraits(deps)
  return async (item) => {
    const { identity, judgeModel, keyOf } = item
    const prompt = buildJudgePrompt(item)
    if (prompt === null) return { finding: { kind: 'too_large' }, replies: [] }
    const body = judgeRequest(judgeModel, prompt, await traitsOf(identity, judgeModel))
    const key = keyOf(body)
    const { finding, replies } = await askForAnswer(deps.inference, { identity, body, key, parse: parseVerdict })
    return { finding: finding.kind === 'found' ? { kind: 'verdict', ...finding.found } : finding, replies }
  }
}
