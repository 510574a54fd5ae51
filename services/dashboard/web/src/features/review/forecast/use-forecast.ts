import type { RoundForecast } from '@ratchet/stats/forecast-round'
import { useQuery } from '@tanstack/react-query'
import type { ForecastStrata } from './forecast.ts'

/** How many further grades prove the judge of a round; undefined until it is computed. */
export function useForecast(strata: ForecastStrata | undefined): RoundForecast | undefined {
  const text = JSON.stringify(strata ?? [])
  const { data } = useQuery({
    queryKey: ['forecast', text],
    queryFn: ({ signal }) => forecastInWorker(strata ?? [], signal),
    enabled: strata !== undefined && strata.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}

function forecastInWorker(strata: ForecastStrata, signal: AbortSignal): Promise<RoundForecast> {
  const worker = new Worker(new URL('./forecast.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<RoundForecast>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<RoundForecast>) => resolve(data)
    worker.onerror = () => reject(new Error('The forecast could not be computed.'))
    signal.addEventListener('abort', () => reject(signal.reason))
    worker.postMessage(strata)
  }).finally(() => worker.terminate())
}
