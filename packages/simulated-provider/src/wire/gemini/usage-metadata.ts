import type { TokenCounts } from '../token-counts.ts'

/** The counts in Google's fields; the candidates exclude the thoughts. */
export function usageMetadata({ prompt, cached, reasoning }: TokenCounts, candidatesTokenCount: number) {
  return {
    promptTokenCount: prompt,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    candidatesTokenCount,
    totalTokenCount: prompt + candidatesTokenCount + reasoning,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    candidatesTokensDetails: [{ modality: 'TEXT', tokenCount: candidatesTokenCount }],
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
  }
}
