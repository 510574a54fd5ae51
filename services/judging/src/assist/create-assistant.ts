import type { Identity } from '@ratchet/contracts/identity'
import { askModel } from '@ratchet/judge-kit/fleet/ask-model'
import { createModelTraits } from '@ratchet/judge-kit/fleet/model-traits'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { stripReasoning } from '@ratchet/judge-kit/prompt/strip-reasoning'
import { structuredRequest } from '@ratchet/judge-kit/prompt/structured-request'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { type Assistant, AssistantRefused, type AssistQuestion } from './assistant.ts'

export interface AssistantDeps {
  readonly inference: FleetClient
  readonly now: () => Date
}

/** Tokens: some prompts for judges. */
const maxTokens = 4_096

/** The models of inference as assistants. */
export function createAssistant(deps: AssistantDeps): Assistant {
  const traitsOf = createModelTraits(deps)
  return {
    async ask({ key, ...question }) {
      const identity = identityOf(question)
      const traits = await traitsOf(identity, question.model)
      const body = structuredRequest({ ...question, name: 'answer', maxTokens }, traits)
      try {
        const { text, costNano } = await askModel(deps.inference, { identity, body, key })
        return { value: readAnswer(text ?? ''), costNano }
      } catch (error) {
        throw refusalOr(error)
      }
    },
  }
}

function identityOf({ workspaceId, askedBy, spendCap }: Omit<AssistQuestion, 'key'>): Identity {
  const identity = { ...workerIdentity(workspaceId, askedBy), purpose: 'assist' as const }
  if (spendCap === null) return identity
  const { id, capNano, windowStart } = spendCap
  return { ...identity, spendCap: { id, capNano: String(capNano), windowStart: windowStart.toISOString() } }
}

/** Somebody may be asking the same at this moment: that passes too. */
function refusalOr(error: unknown): unknown {
  if (!(error instanceof FleetCallError) || error.mayPass || error.status === 409) return error
  return new AssistantRefused(error.message, { cause: error })
}

/** Models that know no schema write JSON among words: the outermost braces hold it. */
function readAnswer(text: string): unknown {
  const spoken = stripReasoning(text)
  return parse(spoken) ?? parse(spoken.slice(spoken.indexOf('{'), spoken.lastIndexOf('}') + 1))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
