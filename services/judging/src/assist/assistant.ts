import type { JudgingCap } from '../judgements/judgement.ts'

/** A request to a model that suggests judges or improves their prompts. */
export interface AssistQuestion {
  readonly workspaceId: string
  readonly requestedBy: string
  readonly model: string
  readonly system: string
  readonly user: string
  /** JSON Schema of the answer, which is an object. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Idempotency key: a retry with the same key is charged once. */
  readonly key: string
  readonly spendCap: JudgingCap | null
}

export interface AssistAnswer {
  /** The parsed answer; null when it is not JSON. */
  readonly value: unknown
  readonly costNano: bigint
}

export interface Assistant {
  /** @throws AssistantRefused when a retry cannot succeed; any other error when it may */
  ask(question: AssistQuestion): Promise<AssistAnswer>
}

/** The model does not exist any more, declines, or may not be paid. The message may be shown to users. */
export class AssistantRefused extends Error {
  override name = 'AssistantRefused'
}
