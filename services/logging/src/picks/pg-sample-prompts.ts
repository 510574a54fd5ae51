import type { RunStatement } from '../exchanges/pg-run-read.ts'
import type { PromptSample, SampleRequest } from './exchange-picks.ts'
import { type DrawnKey, drawExchanges, drawnExchanges, drawnPrompts } from './pg-draw-exchanges.ts'

export interface PromptSampleLimits {
  readonly maxDrawn: number
  /** Exchanges that are read at a time. */
  readonly batchSize: number
}

const usualLimits: PromptSampleLimits = { maxDrawn: 20_000, batchSize: 2_000 }

/** Reads exchanges in the order drawn until they have enough distinct prompts. */
export async function samplePrompts(
  run: RunStatement,
  { count, ...request }: SampleRequest,
  { maxDrawn, batchSize } = usualLimits,
): Promise<PromptSample> {
  const { total, keys } = await drawExchanges(run, { ...request, count: maxDrawn })
  const firsts = new Map<string, DrawnKey>()
  let examined = 0
  for (let from = 0; from < keys.length && firsts.size < count; from += batchSize) {
    const drawn = await drawnPrompts(run, keys.slice(from, from + batchSize))
    for (const { prompt, ...key } of drawn) if (!firsts.has(prompt)) firsts.set(prompt, key)
    examined += drawn.length
  }
  const exchanges = await drawnExchanges(run, [...firsts.values()].slice(0, count))
  return { total, examined, distinct: firsts.size, exchanges }
}
