import type { Fields } from '../read-fields.ts'
import type { Frame } from '../reply.ts'
import type { TokenCounts } from '../token-counts.ts'
import type { Generated } from './generated.ts'
import { usageMetadata } from './usage-metadata.ts'

/** The chunks of a streamed answer. Each has the usage up to it; the last has the finish reason and no text. */
export function* generateFrames({ parts, finishReason, reported, reportsOnce, head }: Generated): Generator<Frame> {
  let sent = 0
  const usageSoFar = (): object =>
    reported === null || (reportsOnce && sent > 1)
      ? {}
      : { usageMetadata: usageMetadata(reported, candidatesSoFar(reported, sent)) }
  for (const { pieces, isThought } of parts) {
    for (const { part, tokens } of pieces) {
      if (!isThought) sent += tokens
      yield frame({ candidates: [{ content: contentOf(part), index: 0 }], ...usageSoFar(), ...head }, tokens)
    }
  }
  const last = { candidates: [{ content: contentOf({ text: '' }), finishReason, index: 0 }] }
  const usage =
    reported === null || reportsOnce
      ? {}
      : { usageMetadata: usageMetadata(reported, reported.completion - reported.reasoning) }
  yield frame({ ...last, ...usage, ...head }, 0)
}

function contentOf(part: Fields): object {
  return { parts: [part], role: 'model' }
}

/** A model that reports zero usage does so in every chunk. */
function candidatesSoFar({ completion, reasoning }: TokenCounts, sent: number): number {
  return Math.min(sent, completion - reasoning)
}

function frame(data: object, tokens: number): Frame {
  return { data: `data: ${JSON.stringify(data)}\r\n\r\n`, tokens }
}
