import type { RequestedTool, Turn } from '../engine/call-events.ts'
import type { AnswerWriter } from '../engine/ports.ts'

export interface WrittenAnswer {
  readonly text: string
  readonly calls: readonly RequestedTool[]
}

/** One answer of a model, when it has ended; null when the model failed. */
export function askOnce(
  writer: AnswerWriter,
  request: { readonly turns: readonly Turn[]; readonly mayCallTools: boolean },
): Promise<WrittenAnswer | null> {
  const { promise, resolve } = Promise.withResolvers<WrittenAnswer | null>()
  let text = ''
  let calls: readonly RequestedTool[] = []
  writer.answer(
    { ...request, isRetry: false },
    {
      onText(more) {
        text += more
      },
      onTools(made) {
        calls = made
      },
      onEnd: () => resolve({ text: text.trim(), calls }),
      onFailed: () => resolve(null),
    },
  )
  return promise
}
