import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import { parseJson } from '@ratchet/service-kit/values/json'
import { z } from 'zod'
import type { RequestedTool } from '../engine/call-events.ts'

/** What of a chunk matters here. */
const Chunk = z.object({
  error: z.unknown().optional(),
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().min(0),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
})
type Chunk = z.output<typeof Chunk>

export interface AnswerEvents {
  onText(text: string): void
  onTools(calls: readonly RequestedTool[]): void
}

const maxEventBytes = 1_048_576
/** Of the text and the calls of one answer: several times what 1,000 tokens have. One with more is broken, or hostile. */
const maxCharacters = 16_000
const maxCalls = 16

/** Reads a stream of Chat Completions piece by piece. */
export function createAnswerReader({ onText, onTools }: AnswerEvents) {
  const reader = createSseReader({ maxEventBytes })
  const calls = new Map<number, { id: string; name: string; json: string }>()
  let state: 'open' | 'finished' | 'failed' = 'open'
  let characters = 0

  function fits({ delta }: NonNullable<Chunk['choices']>[number]): boolean {
    const parts = delta?.tool_calls ?? []
    for (const { id, function: named } of parts) {
      characters += (id?.length ?? 0) + (named?.name?.length ?? 0) + (named?.arguments?.length ?? 0)
    }
    characters += delta?.content?.length ?? 0
    const added = new Set(parts.map(({ index }) => index).filter((index) => !calls.has(index)))
    return characters <= maxCharacters && calls.size + added.size <= maxCalls
  }

  function take({ error, choices: [choice] = [] }: Chunk): void {
    if (error !== undefined || (choice !== undefined && !fits(choice))) {
      state = 'failed'
      return
    }
    const text = choice?.delta?.content ?? ''
    if (text !== '') onText(text)
    for (const { index, id, function: named } of choice?.delta?.tool_calls ?? []) {
      const call = calls.get(index) ?? { id: '', name: '', json: '' }
      calls.set(index, {
        id: id ?? call.id,
        name: call.name + (named?.name ?? ''),
        json: call.json + (named?.arguments ?? ''),
      })
    }
    if (typeof choice?.finish_reason === 'string') state = 'finished'
  }

  return {
    push(bytes: Buffer): void {
      for (const { data, oversized } of reader.push(bytes)) {
        if (oversized) state = 'failed'
        if (state === 'failed') return
        const text = data?.toString('utf8').trim() ?? ''
        if (text === '' || text === '[DONE]') continue
        const chunk = Chunk.safeParse(parseJson(text))
        if (chunk.success) take(chunk.data)
        else state = 'failed'
      }
    },
    /** @returns false when the answer is not whole */
    end(): boolean {
      if (state !== 'finished') return false
      const made = [...calls].toSorted(([a], [b]) => a - b).map(([, call]) => call)
      if (made.length > 0) onTools(made.map(({ id, name, json }) => ({ id, name, arguments: json })))
      return true
    },
  }
}
