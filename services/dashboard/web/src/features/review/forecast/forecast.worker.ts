import { type ForecastStrata, forecastOf } from './forecast.ts'

/** Draws two hundred futures of a round, which would stop the page for a moment. */
self.onmessage = ({ data }: MessageEvent<ForecastStrata>) => {
  self.postMessage(forecastOf(data))
}
