import { randomBytes } from 'node:crypto'
import type { FramePacer } from '@ratchet/audio/create-frame-pacer'
import { voiceNumberPlace } from '@ratchet/contracts/voice/voice-number-place'
import type { Pool } from '@ratchet/db/connect-pool'
import { isPublicAddress } from '@ratchet/http/is-public-address'
import { type SecretBox, SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import type { Drain } from '@ratchet/service-kit/process/drain'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { createSipAgent } from '@ratchet/sip/agent/create-sip-agent'
import { createMediaPorts } from '@ratchet/sip/sockets/create-media-ports'
import { openStreamSignalling } from '@ratchet/sip/sockets/create-stream-signalling'
import { openUdpSignalling } from '@ratchet/sip/sockets/create-udp-signalling'
import { joinSignalling } from '@ratchet/sip/sockets/join-signalling'
import { z } from 'zod'
import { createPgAgents } from './agents/pg-agents.ts'
import type { CallMoney } from './calls/call-money.ts'
import type { CallWorker } from './calls/call-worker.ts'
import { createPgCallWork } from './calls/pg-call-work.ts'
import { paidCallOf } from './calls/prepare-call.ts'
import { createPgCanaries } from './canaries/pg-canaries.ts'
import type { StoredNumber } from './numbers/number.ts'
import { createPgNumbers } from './numbers/pg-numbers.ts'
import { createPgPhoneWork } from './phone/pg-phone-work.ts'
import { createPhoneWorker, type PhoneWorker } from './phone/phone-worker.ts'

/** `host:port`, or `[host]:port`. */
const Listen = z
  .string()
  .regex(/^(?:[0-9.]+|\[[0-9A-Fa-f:]+\]):\d{1,5}$/, 'This must be an IP address and a port.')
  .transform((text) => {
    const at = text.lastIndexOf(':')
    return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
  })

/** A range of ports, both ends included. */
const PortRange = z
  .string()
  .regex(/^\d{4,5}-\d{4,5}$/, 'This must be two ports, such as 20000-20399.')
  .transform((text) => text.split('-').map(Number) as [number, number])
  .refine(([first, last]) => first < last && last <= 65_535, 'The second port must be greater.')

/** Variables of workers that take and make calls of telephones. */
export const phoneConfig = {
  /** Address and port for SIP, by UDP and TCP, such as `0.0.0.0:5060`; absent: no calls of telephones. */
  SIP_LISTEN: Listen.optional(),
  /** The IP address by which trunks reach this worker; absent: that of `SIP_LISTEN`. */
  SIP_PUBLIC_ADDRESS: z.union([z.ipv4(), z.ipv6()]).optional(),
  /** Ports for audio (RTP): two for each call. */
  RTP_PORTS: PortRange.default([20_000, 20_399]),
}
const PhoneConfig = z.object(phoneConfig)
export type PhoneConfig = z.output<typeof PhoneConfig>

const every = { numbersMs: 1_000, dialMs: 250, renewMs: 1_000, upkeepMs: 1_000 }

export interface PhoneStart {
  readonly pool: Pool
  readonly workerId: string
  readonly money: CallMoney
  readonly secrets: SecretBox
  readonly now: () => Date
  readonly drain: Drain
  readonly onStop: OnStop
  readonly onError: (error: unknown, call?: { readonly callId: string }) => void
  readonly worker: CallWorker
  readonly pacer: FramePacer
}

/** Listens for trunks; null without `SIP_LISTEN`. */
export async function startPhone(config: PhoneConfig, context: PhoneStart): Promise<PhoneWorker | null> {
  const { SIP_LISTEN: listen, SIP_PUBLIC_ADDRESS: publicHost, RTP_PORTS: ports } = config
  if (listen === undefined) return null
  const { pool, onStop, onError, drain } = context
  const address = { host: listen.host, ...(publicHost === undefined ? {} : { publicHost }) }
  const udp = await openUdpSignalling({ ...address, port: listen.port })
  const tcp = await openStreamSignalling({ ...address, port: udp.local.port, isPeer: (host) => phone.isTrunk(host) })
  const media = createMediaPorts({ ...address, firstPort: ports[0], lastPort: ports[1] })
  const agents = createPgAgents(pool)
  const nowMs = () => performance.now()
  const phone: PhoneWorker = createPhoneWorker({
    ...context,
    work: createPgPhoneWork(pool),
    calls: createPgCallWork(pool),
    agents,
    canaries: createPgCanaries(pool),
    numbers: createPgNumbers(pool),
    nowMs,
    newId: () => uuidV7(context.now().getTime()),
    every: callEvery,
    passwordOf: (number) => passwordOf(context, number),
    async paidCallOf(call) {
      const version = await agents.version({ workspaceId: call.workspaceId, id: call.agentId }, call.agentVersion)
      if (version === null) throw new Error('the version of the agent of a call does not exist')
      return paidCallOf(call, version.spec)
    },
    openAgent: (options) =>
      createSipAgent({
        ...options,
        sockets: joinSignalling({ udp, tcp }),
        openMedia: () => media.open(),
        mayReach: isPublicAddress,
        clock: { nowMs, schedule: callLater },
        pacer: context.pacer,
        random: randomBytes,
      }),
  })
  await phone.readNumbers()
  const stops = [
    repeatEvery({ everyMs: every.numbersMs, work: () => phone.readNumbers(), onError }),
    repeatEvery({ everyMs: every.dialMs, work: () => phone.dial(), onError }),
    repeatEvery({ everyMs: every.renewMs, work: () => phone.renew(), onError }),
    repeatEvery({ everyMs: every.upkeepMs, work: () => phone.upkeep(), onError }),
  ]
  drain.begun.addEventListener('abort', () => phone.retire())
  onStop(async () => {
    await Promise.all(stops.map((stop) => stop()))
    await Promise.all([udp.close(), tcp.close()])
  })
  return phone
}

function passwordOf({ secrets, onError }: PhoneStart, number: StoredNumber): string | null {
  if (number.secret === null) return null
  try {
    return secrets.open(number.secret, voiceNumberPlace(number))
  } catch (error) {
    // Its calls are refused by the trunk until the operator configures the key again.
    if (!(error instanceof SecretUnreadable)) throw error
    onError(error)
    return null
  }
}

function callLater(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}

function callEvery(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms)
  return () => clearInterval(timer)
}
