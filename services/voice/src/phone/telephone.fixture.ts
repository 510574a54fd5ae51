import { randomBytes } from 'node:crypto'
import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { createSipAgent, type SipAgent } from '@ratchet/sip/agent/create-sip-agent'
import type { IncomingCall } from '@ratchet/sip/agent/incoming-call'
import type { SipLeg } from '@ratchet/sip/agent/sip-leg'
import { createMediaPorts } from '@ratchet/sip/sockets/create-media-ports'
import { openUdpSignalling } from '@ratchet/sip/sockets/create-udp-signalling'

/** Where telephones of tests are: an address that the test's rules allow to trunks. */
export const telephoneHost = '127.0.0.2'
export const workerHost = '127.0.0.1'

/** A telephone behind a trunk, whose user speaks and reads the language of tones. */
export interface Telephone {
  readonly port: number
  readonly agent: SipAgent
  /** What was heard in the present call, word by word. */
  readonly ear: string[]
  readonly keys: string[]
  readonly ends: string[]
  /** Calls that came in, by who was called. */
  readonly calls: IncomingCall[]
  readonly leg: SipLeg | null
  dial(to: string, from?: string): Promise<SipLeg>
  speak(text: string): void
  close(): Promise<void>
}

export interface TelephoneOptions {
  readonly workerPort: number
  readonly firstPort: number
  /** Answers by default. */
  readonly onCall?: (call: IncomingCall, answer: () => void) => void
}

export async function startTelephone({ workerPort, firstPort, onCall }: TelephoneOptions): Promise<Telephone> {
  const sockets = await openUdpSignalling({ host: telephoneHost, port: 0 })
  const media = createMediaPorts({ host: telephoneHost, firstPort, lastPort: firstPort + 139 })
  const clock = {
    nowMs: () => performance.now(),
    schedule(callback: () => void, delayMs: number) {
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
  }
  const ear: string[] = []
  const keys: string[] = []
  const ends: string[] = []
  const calls: IncomingCall[] = []
  let leg: SipLeg | null = null
  const events = () => {
    const reader = createToneReader(8_000)
    ear.length = 0
    return {
      onAudio: (pcm: Int16Array) => void ear.push(...reader.push(pcm).map(({ text }) => text)),
      onDtmf: (key: string) => void keys.push(key),
      onEnded: (end: string) => void ends.push(end),
    }
  }
  const agent = createSipAgent({
    mayReach: () => true,
    sockets,
    openMedia: () => media.open(),
    clock,
    pacer: createFramePacer(clock),
    random: randomBytes,
    trunks: [
      {
        id: 'worker',
        addresses: [workerHost],
        target: { transport: 'udp', host: workerHost, port: workerPort },
        credentials: null,
      },
    ],
    onInvite(call) {
      calls.push(call)
      const answer = () =>
        void call.answer(events()).then(
          (answered) => {
            leg = answered
          },
          () => undefined,
        )
      if (onCall === undefined) answer()
      else onCall(call, answer)
    },
  })
  return {
    port: sockets.local.port,
    agent,
    ear,
    keys,
    ends,
    calls,
    get leg() {
      return leg
    },
    async dial(to, from = '+4930999') {
      const dialed = agent.dial({ trunkId: 'worker', to, from, events: events() })
      leg = await dialed.answered
      return leg
    },
    speak: (text) => leg?.send(createToneSpeaker(8_000).say(text).pcm),
    close: () => sockets.close(),
  }
}
