import type { Usage } from '../usage.ts'

/** Google's spelling of the counts; the thoughts are not among the candidates. */
export function usageMetadata({ prompt, cached, reasoning }: Usage, candidatesTokenCount: number) {
  return {
    promptTokenCount: prompt,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    candidatesTokenCount,
    totalTokenCount: prompt + candidatesTokenCount + reasoning,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...(reasoning === 0 ? {} : { thoughtsTokenCount: reasoning }),
  }
}
