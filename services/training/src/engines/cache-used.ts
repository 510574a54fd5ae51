/** The names that vLLM has for it: the present one, and that of its versions before 0.9. */
const series = /^vllm:(?:kv_cache_usage_perc|gpu_cache_usage_perc)(?:\{[^}]*\})? ([0-9.e+-]+)$/

/**
 * Reads from the metrics of vLLM how much of its KV cache is in use.
 *
 * @param text in the format of Prometheus
 * @returns 0 to 1, of the fullest part when there are several; null when the engine does not say
 */
export function cacheUsedOf(text: string): number | null {
  let most: number | null = null
  for (const line of text.split('\n')) {
    const used = Number(series.exec(line)?.[1] ?? Number.NaN)
    if (used >= 0 && used <= 1) most = Math.max(most ?? 0, used)
  }
  return most
}
