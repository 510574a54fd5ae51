import { z } from 'zod'
import { createFireworksApi } from './trainers/provider/fireworks-api.ts'
import { createProviderCalls } from './trainers/provider/provider-calls.ts'
import { createProviderTrainer, type ProviderTrainerOptions } from './trainers/provider/provider-trainer.ts'
import { createTogetherApi } from './trainers/provider/together-api.ts'
import type { Trainer } from './trainers/trainer.ts'

const baseUrl = z.url({ protocol: /^https?$/ })

/** Settings of the worker, for `together` and `fireworks` among `TRAINERS`. */
export const providerConfig = {
  TOGETHER_API_KEY: z.string().min(1).optional(),
  TOGETHER_BASE_URL: baseUrl.default('https://api.together.ai/v1'),
  FIREWORKS_API_KEY: z.string().min(1).optional(),
  /** Id of the account at Fireworks. */
  FIREWORKS_ACCOUNT: z.string().min(1).optional(),
  FIREWORKS_BASE_URL: baseUrl.default('https://api.fireworks.ai'),
  /** Between two looks at a job of a provider, milliseconds. */
  PROVIDER_POLL_MS: z.coerce.number().int().min(10).max(600_000).default(10_000),
}
const ProviderConfig = z.object(providerConfig)
type ProviderConfig = z.output<typeof ProviderConfig>

type Parts = Pick<ProviderTrainerOptions, 'slots' | 'now' | 'retryForMs' | 'onFailed' | 'onExit'>

/** @throws Error when its key is missing */
export function startTogetherTrainer(config: ProviderConfig, parts: Parts): Trainer {
  const { TOGETHER_BASE_URL: url, PROVIDER_POLL_MS: pollMs } = config
  const apiKey = required(config.TOGETHER_API_KEY, 'TOGETHER_API_KEY', 'together')
  const { retryForMs } = parts
  const connect = (killed: AbortSignal) => {
    const calls = createProviderCalls({ baseUrl: url, apiKey, killed, retryForMs })
    return { api: createTogetherApi(calls), close: calls.close }
  }
  return createProviderTrainer({ ...parts, name: 'together', pollMs, connect })
}

/** @throws Error when its key or account is missing */
export function startFireworksTrainer(config: ProviderConfig, parts: Parts): Trainer {
  const { FIREWORKS_BASE_URL: url, PROVIDER_POLL_MS: pollMs } = config
  const apiKey = required(config.FIREWORKS_API_KEY, 'FIREWORKS_API_KEY', 'fireworks')
  const account = required(config.FIREWORKS_ACCOUNT, 'FIREWORKS_ACCOUNT', 'fireworks')
  const { retryForMs } = parts
  const connect = (killed: AbortSignal) => {
    const calls = createProviderCalls({ baseUrl: url, apiKey, killed, retryForMs })
    return { api: createFireworksApi({ calls, account, killed }), close: calls.close }
  }
  return createProviderTrainer({ ...parts, name: 'fireworks', pollMs, connect })
}

function required(value: string | undefined, name: string, trainer: string): string {
  if (value === undefined) throw new Error(`${name} is missing, but \`${trainer}\` is among TRAINERS`)
  return value
}
