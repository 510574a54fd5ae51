import type { PromptSample, SampleRequest } from '../domain/exchange-picks.ts'
import { type DrawnKey, drawExchanges, drawnExchanges, drawnPrompts } from './draw-exchanges.ts'
import type { RunRead } from './run-read.ts'

export interface PromptSampleLimits {
  /** Exchanges that are drawn at most. */
  readonly maxDrawn: number
  /** So many are looked at together: enough to tell how many prompts there are for an exchange. */
  readonly together: number
}

const usualLimits: PromptSampleLimits = { maxDrawn: 20_000, together: 2_000 }

/** Looks at exchanges in the order drawn until they have enough prompts. */
export async function samplePrompts(
  run: RunRead,
  { count, ...request }: SampleRequest,
  { maxDrawn, together } = usualLimits,
): Promise<PromptSample> {
  const { total, keys } = await drawExchanges(run, { ...request, count: maxDrawn })
  const firsts = new Map<string, DrawnKey>()
  let lookedAt = 0
  for (let from = 0; from < keys.length && firsts.size < count; from += together) {
    const drawn = await drawnPrompts(run, keys.slice(from, from + together))
    for (const { prompt, ...key } of drawn) if (!firsts.has(prompt)) firsts.set(prompt, key)
    lookedAt += drawn.length
  }
  const exchanges = await drawnExchanges(run, [...firsts.values()].slice(0, count))
  return { total, lookedAt, distinct: firsts.size, exchanges }
}
