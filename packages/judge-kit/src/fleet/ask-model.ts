import { costNanoHeader, type Identity } from '@ratchet/contracts/identity'
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
  /** As the provider calls what answered. */
  readonly model: string | null
  readonly fingerprint: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly costNano: bigint
  /** Whether it was given before, to the same question. */
  readonly isReplay: boolean
}

/** Asks a model. @throws FleetCallError when inference refuses or does not answer */
export async function askModel(inference: Pick<FleetClient, 'send'>, call: ModelCall): Promise<ModelReply> {
  const { identity, body, key } = call
  const headers = { 'idempotency-key': key }
  const answer = await inference.send({ method: 'POST', path: '/v1/chat/completions', headers, body }, identity)
  if (answer.status !== 200) throw refusalOf('inference', answer)
  const { model, system_fingerprint: fingerprint, choices, usage } = Completion.parse(readJsonBody(answer.body))
  return {
    text: textOf(choices[0]),
    model: nameOf(model),
    fingerprint: nameOf(fingerprint),
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    costNano: costOf(answer),
    isReplay: answer.headers['idempotent-replay'] === 'true',
  }
}

const name = z.string().min(1).nullable().catch(null)
/** Fits an `integer` of Postgres. */
const tokens = z.int().min(0).max(2_147_483_647).nullable().catch(null)
const Choice = z.object({
  finish_reason: z.string().nullable().catch(null),
  message: z.object({ content: z.string().nullable().catch(null) }).catch({ content: null }),
})

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

function textOf(choice: z.infer<typeof Choice> | undefined): string | null {
  return choice === undefined || cutReasons.has(choice.finish_reason) ? null : choice.message.content
}

function nameOf(text: string | null): string | null {
  return text === null ? null : keepableText(text, 200)
}

function costOf({ headers }: CollectedAnswer): bigint {
  const cost = headers[costNanoHeader]
  if (typeof cost === 'string' && /^\d{1,19}$/.test(cost)) return BigInt(cost)
  throw new Error(`inference did not say in ${costNanoHeader} what its answer cost`)
}
