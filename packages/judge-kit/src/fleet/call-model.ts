import { costNanoHeader, type Identity, latencyMsHeader } from '@ratchet/contracts/identity'
import type { CollectedAnswer } from '@ratchet/http/collect-answer'
import { type FleetClient, readJsonBody, refusalOf } from '@ratchet/service-kit/fleet/fleet-client'
import { storableText } from '@ratchet/service-kit/values/storable-text'
import { z } from 'zod'

export interface ModelCall {
  readonly identity: Identity
  /** A chat completion request, JSON. */
  readonly body: string
  /** Idempotency key: a retry with the same key is charged once. */
  readonly key: string
}

export interface ModelReply {
  /** Null when there is no text, or it was cut off. */
  readonly text: string | null
  /** The message as received, with its tool calls; null when there is none. */
  readonly message: Readonly<Record<string, unknown>> | null
  readonly finishReason: string | null
  /** The name of the model that the provider reported. */
  readonly model: string | null
  readonly fingerprint: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly costNano: bigint
  /** Latency of the original call, also for a replay; null when unknown. */
  readonly latencyMs: number | null
  /** Whether inference returned a recorded answer. */
  readonly isReplay: boolean
}

/** @throws FleetCallError when inference refuses or does not answer */
export async function callModel(inference: Pick<FleetClient, 'send'>, call: ModelCall): Promise<ModelReply> {
  const { identity, body, key } = call
  const headers = { 'idempotency-key': key }
  const path = '/v1/chat/completions'
  const answer = await inference.send({ method: 'POST', path, route: path, headers, body }, identity)
  if (answer.status !== 200) throw refusalOf('inference', answer)
  const { model, system_fingerprint: fingerprint, choices, usage } = Completion.parse(readJsonBody(answer.body))
  const [choice = noChoice] = choices
  return {
    text: textOf(choice),
    message: choice.message,
    finishReason: choice.finish_reason,
    model: nameOf(model),
    fingerprint: nameOf(fingerprint),
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    costNano: costOf(answer),
    latencyMs: latencyOf(answer),
    isReplay: answer.headers['idempotent-replay'] === 'true',
  }
}

const name = z.string().min(1).nullable().catch(null)
/** Fits an `integer` of Postgres. */
const tokens = z.int().min(0).max(2_147_483_647).nullable().catch(null)
const Choice = z.object({
  finish_reason: z.string().nullable().catch(null),
  message: z.record(z.string(), z.unknown()).nullable().catch(null),
})
type Choice = z.infer<typeof Choice>

const noChoice: Choice = { finish_reason: null, message: null }

const noUsage = { prompt_tokens: null, completion_tokens: null }
const nothing = { model: null, system_fingerprint: null, choices: [], usage: noUsage }

/** Accepts any answer, because it was charged: missing or invalid parts become null. */
const Completion = z
  .object({
    model: name,
    system_fingerprint: name,
    choices: z.array(Choice).catch([]),
    usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).catch(noUsage),
  })
  .catch(nothing)

/** Finish reasons of messages that were cut off. */
const cutReasons: ReadonlySet<string | null> = new Set(['length', 'content_filter'])

function textOf({ finish_reason: reason, message }: Choice): string | null {
  const content = message?.content
  return typeof content === 'string' && !cutReasons.has(reason) ? content : null
}

function nameOf(text: string | null): string | null {
  return text === null ? null : storableText(text, 200)
}

function latencyOf({ headers }: CollectedAnswer): number | null {
  const latency = headers[latencyMsHeader]
  return typeof latency === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(latency) ? Number(latency) : null
}

function costOf({ headers }: CollectedAnswer): bigint {
  const cost = headers[costNanoHeader]
  if (typeof cost === 'string' && /^\d{1,19}$/.test(cost)) return BigInt(cost)
  throw new Error(`the answer of inference has no valid ${costNanoHeader} header`)
}
