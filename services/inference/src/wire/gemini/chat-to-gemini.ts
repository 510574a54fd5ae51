import { asList, asObject, asText, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import { readCount } from '../json/read-count.ts'

/** One candidate of an answer, or what a chunk of a stream adds to it. */
export interface Candidate {
  readonly index: number
  readonly parts: readonly object[]
  readonly finishReason: string | null
}

/** An answer of `generateContent`, or a chunk of `streamGenerateContent`. */
export function geminiAnswer(
  candidates: readonly Candidate[],
  { id, model, usage }: { readonly id: unknown; readonly model: unknown; readonly usage: Fields | null },
): object {
  return {
    ...(candidates.length === 0
      ? {}
      : {
          candidates: candidates.map(({ index, parts, finishReason }) => ({
            content: { role: 'model', parts },
            ...(finishReason === null ? {} : { finishReason }),
            index,
          })),
        }),
    ...(usage === null ? {} : { usageMetadata: usageMetadata(usage) }),
    modelVersion: asText(model) ?? '',
    responseId: asText(id) ?? '',
  }
}

/** The candidate that a complete choice of a chat is. */
export function candidateOf(choice: Fields, showsThoughts: boolean): Candidate {
  const message = asObject(choice.message) ?? {}
  return {
    index: readCount(choice.index) ?? 0,
    parts: [...textParts(message, showsThoughts), ...asList(message.tool_calls).flatMap(callPart)],
    finishReason: finishReasonOf(choice.finish_reason),
  }
}

/** The texts of a message, or of a delta of one, as parts. */
export function textParts(said: Fields, showsThoughts: boolean): readonly object[] {
  const thought = asText(said.reasoning_content) ?? asText(said.reasoning) ?? ''
  const text = asText(said.content) ?? asText(said.refusal) ?? ''
  return [
    ...(thought === '' || !showsThoughts ? [] : [{ text: thought, thought: true }]),
    ...(text === '' ? [] : [{ text }]),
  ]
}

/** A call of a tool as a part; nothing for one without a name. */
export function callPart(value: unknown): readonly object[] {
  const call = asObject(value) ?? {}
  const { name, arguments: text } = asObject(call.function) ?? {}
  if (typeof name !== 'string') return []
  const args = asObject(parseJson(asText(text) ?? '')) ?? {}
  const signature = asText(asObject(asObject(call.extra_content)?.google)?.thought_signature)
  const id = asText(call.id)
  const functionCall = { ...(id === null ? {} : { id }), name, args }
  return [{ functionCall, ...(signature === null ? {} : { thoughtSignature: signature }) }]
}

const finishReasons: Readonly<Record<string, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  function_call: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
}

/** Null while the candidate continues. */
export function finishReasonOf(reason: unknown): string | null {
  return typeof reason === 'string' && reason !== '' ? (finishReasons[reason] ?? 'OTHER') : null
}

function usageMetadata(usage: Fields): object {
  const prompt = readCount(usage.prompt_tokens) ?? 0
  const completion = readCount(usage.completion_tokens) ?? 0
  const thoughts = Math.min(readCount(asObject(usage.completion_tokens_details)?.reasoning_tokens) ?? 0, completion)
  const cached = readCount(asObject(usage.prompt_tokens_details)?.cached_tokens) ?? 0
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - thoughts,
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    totalTokenCount: prompt + completion,
    ...(usage.cost_usd === undefined ? {} : { costUsd: usage.cost_usd }),
  }
}
