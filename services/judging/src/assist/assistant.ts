import type { JudgingCap } from '../judgements/judgement.ts'

/** A question to a model that helps people with judges. */
export interface AssistQuestion {
  readonly workspaceId: string
  /** User on whose word it is asked. */
  readonly askedBy: string
  readonly model: string
  readonly system: string
  readonly user: string
  /** JSON Schema of the answer, an object. */
  readonly schema: Readonly<Record<string, unknown>>
  /** The same question asked again under one key is answered, and paid, once. */
  readonly key: string
  readonly spendCap: JudgingCap | null
}

export interface AssistAnswer {
  /** What was answered, if it was JSON; null else. */
  readonly value: unknown
  readonly costNano: bigint
}

/** A model that thinks along. */
export interface Assistant {
  /** @throws AssistantRefused for good; anything else when it may answer later */
  ask(question: AssistQuestion): Promise<AssistAnswer>
}

/** The question will not be answered: the model is gone, declines, or may not be paid. The message is for people. */
export class AssistantRefused extends Error {
  override name = 'AssistantRefused'
}
