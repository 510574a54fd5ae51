import { randomBytes } from 'node:crypto'
import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import type { MediaSocket, SignallingSockets, SipClock } from '../ports.ts'
import { createMediaPorts } from '../sockets/create-media-ports.ts'
import { createSipAgent, type SipAgent, type SipAgentOptions } from './create-sip-agent.ts'

export const loopback = '127.0.0.1'

export const realClock: SipClock = {
  nowMs: () => performance.now(),
  schedule(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** An agent with real sockets. @param change what a network does with packets of audio that it sends */
export function realAgent(
  sockets: SignallingSockets,
  options: Pick<SipAgentOptions, 'trunks' | 'onInvite'>,
  { firstPort, change = (socket) => socket }: { firstPort: number; change?: (socket: MediaSocket) => MediaSocket },
): SipAgent {
  const media = createMediaPorts({ host: loopback, firstPort, lastPort: firstPort + 99 })
  const openMedia = async () => change(await media.open())
  const pacer = createFramePacer(realClock)
  return createSipAgent({
    sockets,
    openMedia,
    mayReach: () => true,
    clock: realClock,
    pacer,
    random: randomBytes,
    ...options,
  })
}
