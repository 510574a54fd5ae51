import { randomBytes } from 'node:crypto'
import type { Pool } from '@ratchet/db/connect-pool'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { createPgAgents } from './agents/pg-agents.ts'
import type { StoredCall } from './calls/call.ts'
import { createPgCalls } from './calls/pg-calls.ts'
import { paidCallOf } from './calls/prepare-call.ts'
import { type CarrierApiDeps, carrierOrigins, createCarrierApi } from './carriers/carrier-api.ts'
import { createCarrierDialer } from './carriers/dial-carriers.ts'
import { createPgCarrierCalls } from './carriers/pg-carrier-calls.ts'
import { createPgNumbers } from './numbers/pg-numbers.ts'

/** Milliseconds. */
const dialEveryMs = 250

export interface CarrierStart extends Partial<CarrierApiDeps> {
  readonly pool: Pool
  readonly lifecycle: Pick<Lifecycle, 'onStop'>
  readonly onError: (error: unknown, call?: { readonly callId: string }) => void
}

interface CarrierConfig {
  readonly ENCRYPTION_KEYS: readonly [NamedKey, ...NamedKey[]]
  readonly VOICE_ORIGIN: string
}

/** Carriers are at their own addresses, whatever workspaces may reach. */
const ownRules = { customHosts: true, allowedHosts: new Set<string>() }

/** Dials calls of numbers whose carriers stream them. @returns what their webhooks need */
export function startCarriers(config: CarrierConfig, context: CarrierStart) {
  const { pool, lifecycle, onError, origins = carrierOrigins, rules = ownRules } = context
  const agents = createPgAgents(pool)
  const carriers = createCarrierApi({ origins, rules })
  const carrierCalls = createPgCarrierCalls(pool)
  const origin = new URL(config.VOICE_ORIGIN).origin
  const dialed = {
    carrierCalls,
    agents,
    origin,
    api: carriers,
    calls: createPgCalls(pool),
    numbers: createPgNumbers(pool),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    onError,
  }
  const dialer = createCarrierDialer(dialed)
  const stop = repeatEvery({ everyMs: dialEveryMs, work: dialer.dial, onError })
  lifecycle.onStop(async () => {
    await stop()
    await dialer.stop()
  })
  return {
    carriers,
    carrierCalls,
    origin,
    async paidCallOf(call: StoredCall) {
      const version = await agents.version({ workspaceId: call.workspaceId, id: call.agentId }, call.agentVersion)
      if (version === null) throw new Error('the version of the agent of a call does not exist')
      return paidCallOf(call, version.spec)
    },
  }
}
