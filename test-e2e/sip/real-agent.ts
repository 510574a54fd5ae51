import { randomBytes } from 'node:crypto'
import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { createSipAgent, type SipAgent, type SipAgentOptions } from '@ratchet/sip/agent/create-sip-agent'
import { createMediaPorts, type MediaPorts } from '@ratchet/sip/sockets/create-media-ports'
import { openUdpSignalling } from '@ratchet/sip/sockets/create-udp-signalling'

export const loopback = '127.0.0.1'

export interface RealAgent {
  readonly agent: SipAgent
  readonly port: number
  readonly media: MediaPorts
  close(): Promise<void>
}

/** An agent with real sockets and real time on the loopback address. */
export async function startRealAgent(
  options: Pick<SipAgentOptions, 'trunks' | 'onInvite'> & Partial<SipAgentOptions>,
  { firstPort }: { readonly firstPort: number },
): Promise<RealAgent> {
  const sockets = await openUdpSignalling({ host: loopback, port: 0 })
  const media = createMediaPorts({ host: loopback, firstPort, lastPort: firstPort + 199 })
  const clock = {
    nowMs: () => performance.now(),
    schedule(callback: () => void, delayMs: number) {
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
  }
  const pacer = createFramePacer(clock)
  const agent = createSipAgent({
    mayReach: () => true,
    sockets,
    openMedia: () => media.open(),
    clock,
    pacer,
    random: randomBytes,
    ...options,
  })
  return { agent, media, port: sockets.local.port, close: () => sockets.close() }
}
