import { callModel } from '@ratchet/judge-kit/fleet/call-model'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import { payingIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { stripReasoning } from '@ratchet/judge-kit/prompt/strip-reasoning'
import { structuredRequest } from '@ratchet/judge-kit/prompt/structured-request'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { parseJson } from '@ratchet/service-kit/values/json'
import { type Assistant, AssistantRefused } from './assistant.ts'

export interface AssistantDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

/** Enough for a few judge prompts. */
const maxTokens = 4_096

export function createAssistant(deps: AssistantDeps): Assistant {
  const traitsOf = createModelTraits(deps)
  return {
    async ask({ key, ...question }) {
      const identity = payingIdentity({ ...question, userId: question.requestedBy, purpose: 'assist' })
      const traits = await traitsOf(identity, question.model)
      const body = structuredRequest({ ...question, name: 'answer', maxTokens }, traits)
      try {
        const { text, costNano } = await callModel(deps.inference, { identity, body, key })
        return { value: readAnswer(text ?? ''), costNano }
      } catch (error) {
        throw refusalOr(error)
      }
    },
  }
}

/** Status 409 means that another process is making the same call, so a retry may succeed. */
function refusalOr(error: unknown): unknown {
  if (!(error instanceof FleetCallError) || error.mayPass || error.status === 409) return error
  return new AssistantRefused(error.message, { cause: error })
}

/** Models without support for schemas write text around the JSON object, which the outermost braces delimit. */
function readAnswer(text: string): unknown {
  const answer = stripReasoning(text)
  return parseJson(answer) ?? parseJson(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) ?? null
}
