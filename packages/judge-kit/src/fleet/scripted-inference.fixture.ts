import { costNanoHeader, type Identity } from '@ratchet/contracts/identity'
import type { Model } from '@ratchet/contracts/models'
import type { CollectedAnswer } from '@ratchet/http/collect-answer'
import { FleetCallError, type FleetClient, type FleetRequest } from '@ratchet/service-kit/fleet/fleet-client'

/** The text of the model, its completion, or a refusal by inference. */
export type Scripted =
  | string
  | { readonly content?: unknown; readonly finish_reason?: string; readonly cost?: string }
  | Refused

export interface Refused {
  readonly status: number
  readonly code: string | null
  readonly param?: string
}

export interface ChatBody {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly [name: string]: unknown
}

export interface SentCall {
  readonly key: string
  readonly body: ChatBody
  readonly identity: Identity
}

/** Inference that answers from a script and charges once for each key. */
export interface ScriptedInference extends FleetClient {
  /** All calls, with replays. */
  readonly calls: readonly SentCall[]
  /** Keys that were charged for. */
  readonly charged: readonly string[]
}

export interface ScriptedInferenceOptions {
  /** @param answered number of earlier answers */
  readonly answer: (body: ChatBody, answered: number) => Scripted
  readonly model?: Partial<Model>
}

/** Cost of each answer, nano-dollars. */
export const costOfAnswer = 7_000n

export function scriptedInference({ answer, model = {} }: ScriptedInferenceOptions): ScriptedInference {
  const calls: SentCall[] = []
  const recorded = new Map<string, { readonly body: string; readonly answer: CollectedAnswer }>()
  return {
    calls,
    get charged() {
      return [...recorded.keys()]
    },
    async call() {
      return { ...plainModel, ...model } as never
    },
    async send({ headers = {}, body = '' }: FleetRequest, identity) {
      const key = headers['idempotency-key'] ?? ''
      const text = String(body)
      const parsed = JSON.parse(text) as ChatBody
      calls.push({ key, body: parsed, identity })
      const before = recorded.get(key)
      if (before !== undefined && before.body !== text)
        return refusal({ status: 409, code: 'idempotency_conflict', param: 'Idempotency-Key' })
      if (before !== undefined)
        return { ...before.answer, headers: { ...before.answer.headers, 'idempotent-replay': 'true' } }
      const scripted = answer(parsed, recorded.size)
      if (typeof scripted !== 'string' && 'status' in scripted) return refusal(scripted)
      const given = completion(parsed.model, scripted)
      recorded.set(key, { body: text, answer: given })
      return given
    },
  }
}

const plainModel: Model = {
  id: 'sim/judge',
  object: 'model',
  created: 0,
  owned_by: 'sim',
  pricing: { input_per_mtok: 1, output_per_mtok: 1, cached_input_per_mtok: null },
  context_window: 128_000,
  max_output_tokens: 16_384,
  outputs_trainable: true,
  capabilities: ['chat'],
  unsupported_parameters: [],
}

function refusal({ status, code, param }: Refused): CollectedAnswer {
  if (status === 0) throw new FleetCallError('inference did not answer', { status })
  const error = { message: `It was refused: ${code}.`, type: 'x', code, param: param ?? null, request_id: 'r1' }
  return { status, headers: {}, body: Buffer.from(JSON.stringify({ error })) }
}

function completion(model: string, scripted: Exclude<Scripted, Refused>): CollectedAnswer {
  const {
    content,
    finish_reason = 'stop',
    cost = String(costOfAnswer),
  } = typeof scripted === 'string' ? { content: scripted } : scripted
  const body = {
    model: `${model}-2026-01-01`,
    system_fingerprint: 'fp_1',
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  }
  return { status: 200, headers: { [costNanoHeader]: cost }, body: Buffer.from(JSON.stringify(body)) }
}
