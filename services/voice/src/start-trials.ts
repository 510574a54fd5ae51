import { brandOf } from '@ratchet/contracts/brand'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { createHttpWriters } from './model/http-writers.ts'
import type { MoneyConfig } from './start-money.ts'
import { type CallToolsDeps, toolsOfCall } from './tools/call-tools.ts'
import type { TrialRouteDeps } from './trials/routes.ts'

interface TrialContext {
  readonly lifecycle: Lifecycle
  readonly now: () => Date
  readonly newId: () => string
  readonly tools: Omit<CallToolsDeps, 'now'>
  readonly onError: (error: unknown) => void
}

/** For each trial that may run at the same time, its requests. */
const connections = 64

/** Agents that are asked in writing: their requests to models belong to no call. */
export function startTrials(
  { INFERENCE_URL: url, INFERENCE_KEYS: keys, BRAND_WORD }: MoneyConfig & { readonly BRAND_WORD?: string | undefined },
  { lifecycle, now, newId, tools, onError }: TrialContext,
): Pick<TrialRouteDeps, 'writers' | 'openTools'> {
  const upstream = createUpstream({ origin: new URL(url).origin, connections, connectTimeoutMs: 1_000 })
  lifecycle.onStop(() => upstream.destroy())
  const requests = { add: async () => undefined, price: async () => undefined }
  const brand = brandOf(BRAND_WORD)
  return {
    writers: createHttpWriters({ upstream, key: keys[0], brand, requests, now, newId, onError }),
    openTools: (order) => toolsOfCall({ ...tools, now }, order),
  }
}
