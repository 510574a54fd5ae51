import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { voiceEndpoints } from '@ratchet/contracts/voice/voice-endpoints'
import type { Pool } from '@ratchet/db/connect-pool'
import { createBodyBudget } from '@ratchet/service-kit/http/body-budget'
import type { HttpListener, Upgrades } from '@ratchet/service-kit/http/serve-http'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import type { AppParts } from '@ratchet/work-kit/processes/start-api'
import { z } from 'zod'
import type { ClientAddressOf } from './admission/client-address.ts'
import { createEndpointIndex } from './admission/endpoint-index.ts'
import { createVoiceForwarder } from './forward/voice-forwarder.ts'
import { createAddressWindows } from './voice/address-windows.ts'
import { createMediaTunnel } from './voice/media-tunnel.ts'
import { createPgVoiceKeys } from './voice/pg-voice-keys.ts'
import { createPgVoiceWindows } from './voice/pg-voice-windows.ts'
import { createVoiceListener } from './voice/voice-listener.ts'

const url = z.url({ protocol: /^https?$/ })

/** Variables of the voice interface. Without `VOICE_PORT` it is closed. */
export const voiceConfig = {
  /** Port of the voice interface; absent: there is none. */
  VOICE_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  VOICE_URL: url,
  /** Where workers take the connections of callers. */
  VOICE_MEDIA_URL: url.optional(),
}
const VoiceConfig = z.object(voiceConfig)
type VoiceConfig = z.output<typeof VoiceConfig>

export interface VoiceListenerContext extends Pick<AppParts, 'logger' | 'health' | 'now' | 'newId'> {
  readonly pool: Pool
  readonly masterKey: NamedKey
  readonly clientAddressOf: ClientAddressOf
  readonly lifecycle: Lifecycle
}

/** With the way of callers to workers. */
type VoiceHttp = HttpListener & { readonly upgrades: Upgrades }

/** A tool may be tested for 20 seconds, and a call waits two for a worker with room. */
const timeoutMs = 30_000
const maxAddresses = 10_000
/** Bodies are settings of agents and tools: few have more than some kilobytes. */
const maxBodiesBytes = 32 * mebibyte

/**
 * The listener of the voice interface.
 *
 * @returns null when it is closed
 * @throws Error when only a part of its settings is there
 */
export function createVoiceHttp(config: VoiceConfig, context: VoiceListenerContext): VoiceHttp | null {
  const { VOICE_PORT: port, VOICE_URL: voiceUrl, VOICE_MEDIA_URL: mediaUrl } = config
  if (port === undefined) return null
  if (mediaUrl === undefined) throw new Error('VOICE_PORT needs VOICE_MEDIA_URL.')
  const { pool, masterKey, clientAddressOf, lifecycle, logger, health, now, newId } = context
  const forwarder = createVoiceForwarder({ origin: new URL(voiceUrl).origin, masterKey, now, timeoutMs })
  lifecycle.onStop(() => forwarder.close())
  const windows = createPgVoiceWindows(pool)
  const onError = (err: unknown) => logger.warn({ event: 'voice_windows_not_pruned', err }, 'hours were not pruned')
  lifecycle.onStop(repeatEvery({ everyMs: hourMs, work: windows.prune, onError }))
  const { deadline } = health.drain
  return {
    port,
    listener: createVoiceListener({
      keys: createPgVoiceKeys(pool),
      windows,
      addresses: createAddressWindows(maxAddresses),
      index: createEndpointIndex(voiceEndpoints),
      forward: forwarder.forward,
      bodies: createBodyBudget(maxBodiesBytes),
      clientAddressOf,
      newId,
      logger,
      now,
    }),
    upgrades: createMediaTunnel({ origin: mediaUrl, clientAddressOf, newId, deadline }),
  }
}

/** The first of two that accepts a connection takes it. */
export function eitherOf(first: Upgrades, second: Upgrades): Upgrades {
  return {
    accepts: (request) => first.accepts(request) || second.accepts(request),
    take(request, socket, head) {
      const taker = first.accepts(request) ? first : second
      taker.take(request, socket, head)
    },
  }
}
