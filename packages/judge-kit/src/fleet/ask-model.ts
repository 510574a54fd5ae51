import { costNanoHeader, type Identity, latencyMsHeader } from '@ratchet/contracts/identity'
import type { CollectedAnswer } from '@ratchet/http/collect-answer'
import { type FleetClient, readJsonBody, refusalOf } from '@ratchet/service-kit/fleet-client'
import { z } from 'zod'
import { keepableText } from '../prompt/keepable-text.ts'

export interface ModelCall {
  readonly identity: Identity
  /** A chat completion, JSON. */
  readonly body: string
  /** The same for the same question: asking again under it costs nothing. */
  readonly key: string
}

/** A model's message, and what it cost. */
export interface ModelReply {
  /** Null where there is none, or only the beginning of one. */
  readonly text: string | null
  /** The message as it came, calls of tools and all; null where there is none. */
  readonly message: Readonly<Record<string, unknown>> | null
  readonly finishReason: string | null
  /** As the provider calls what answered. */
  readonly model: string | null
  readonly fingerprint: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly costNano: bigint
  /** Milliseconds until the answer was there, the same for a replay; null where nobody noted it. */
  readonly latencyMs: number | null
  /** Whether it was given before, to the same question. */
  readonly isReplay: boolean
}

/** Asks a model. @throws FleetCallError when inference refuses or does not answer */
export async function askModel(inference: Pick<FleetClient, 'send'>, call: ModelCall): Promise<ModelReply> {
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

/** Whatever a provider answered was paid for: what it lacks is null. */
const Completion = z
  .object({
    model: name,
    system_fingerprint: name,
    choices: z.array(Choice).catch([]),
    usage: z.object({ prompt_tokens: tokens, completion_tokens: tokens }).catch(noUsage),
  })
  .catch(nothing)

/** What ends a message before its end. */
const cutReasons: ReadonlySet<string | null> = new Set(['length', 'content_filter'])

function textOf({ finish_reason: reason, message }: Choice): string | null {
  const content = message?.content
  return typeof content === 'string' && !cutReasons.has(reason) ? content : null
}

function nameOf(text: string | null): string | null {
  return text === null ? null : keepableText(text, 200)
}

function latencyOf({ headers }: CollectedAnswer): number | null {
  const latency = headers[latencyMsHeader]
  return typeof latency === 'string' && /^\d{1,9}(\.\d{1,9})?$/.test(latency) ? Number(latency) : null
}

function costOf({ headers }: CollectedAnswer): bigint {
  const cost = headers[costNanoHeader]
  if (typeof cost === 'string' && /^\d{1,19}$/.test(cost)) return BigInt(cost)
  throw new Error(`inference did not say in ${costNanoHeader} what its answer cost`)
}
