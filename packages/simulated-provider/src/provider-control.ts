import type { SimulatedReport } from './control/report.ts'
import type { Script } from './control/scripts.ts'

/** What a test can read from a running provider, and change in it. */
export interface ProviderControl {
  /** Origin without a path, `http://127.0.0.1:4010`: OpenAI's base URL is this plus `/v1`. */
  readonly baseUrl: string
  report(filter?: { model?: string; since?: number }): Promise<SimulatedReport>
  /** Deletes rows, totals, scripts and attempts. */
  reset(): Promise<void>
  /** Makes the next `count` requests of a model misbehave. @throws Error for an unknown behaviour */
  script(script: Script): Promise<void>
}

/** Control over a provider of another process, by its control endpoints. */
export function controlProvider(baseUrl: string): ProviderControl {
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${baseUrl}/control/${path}`, { method, ...sent })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} /control/${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }
  return {
    baseUrl,
    async report({ model, since } = {}) {
      const query = new URLSearchParams()
      if (model !== undefined) query.set('model', model)
      if (since !== undefined) query.set('since', String(since))
      return (await call('GET', `report?${query}`)) as SimulatedReport
    },
    reset: async () => void (await call('POST', 'reset')),
    script: async (script) => void (await call('POST', 'script', script)),
  }
}
