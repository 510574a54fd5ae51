import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import { seededRandom } from '@ratchet/testing/seeded-random'
import type { MediaSocket, SignallingSockets, SipPeer } from '../ports.ts'
import { createSipAgent, type SipAgent, type SipAgentOptions } from './create-sip-agent.ts'
import type { IncomingCall } from './incoming-call.ts'
import type { LegEnd, LegEvents } from './sip-leg.ts'
import type { SipTrunk } from './trunks.ts'

/** A message on its way, for rules of loss and for assertions. */
export interface Sent {
  readonly from: string
  readonly to: string
  readonly text: string
  readonly atMs: number
}

/** A network in memory whose time is set by hand. Each host has one agent or one scripted peer. */
export interface VirtualNetwork {
  readonly clock: { nowMs(): number; schedule(callback: () => void, delayMs: number): () => void }
  /** Lets time pass, and lets what waits for promises happen. */
  pass(ms: number): Promise<void>
  /** Every message of SIP so far. */
  readonly sent: readonly Sent[]
  /** @returns whether a message arrives; all do by default */
  rule: (message: Sent) => boolean
  addAgent(host: string, options?: Partial<SipAgentOptions>): SipAgent
  /** A peer that does what a test says. */
  addPeer(host: string, onMessage: (text: string, from: SipPeer) => void): { send(text: string, to: string): void }
  /** Start lines of what a host has sent. */
  linesFrom(host: string): string[]
}

interface Timer {
  readonly atMs: number
  readonly callback: () => void
}

/** How long a message needs. */
const delayMs = 5

export function createVirtualNetwork(): VirtualNetwork {
  let now = 0
  const timers = new Set<Timer>()
  const listeners = new Map<string, (message: Buffer, from: SipPeer) => void>()
  const media = new Map<string, Parameters<MediaSocket['listen']>[0]>()
  const sent: Sent[] = []
  const clock = {
    nowMs: () => now,
    schedule(callback: () => void, delay: number) {
      const timer = { atMs: now + Math.max(0, delay), callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  const flush = () => new Promise<void>((resolve) => setImmediate(resolve))
  const peerOf = (host: string): SipPeer => ({ transport: 'udp', host, port: 5060 })
  const deliver = (text: string, from: string, to: string) => {
    const message = { from, to, text, atMs: now }
    sent.push(message)
    if (!network.rule(message)) return
    clock.schedule(() => listeners.get(to)?.(Buffer.from(text), peerOf(from)), delayMs)
  }
  const socketsOf = (host: string): SignallingSockets => ({
    send: (message, to) => deliver(message.toString(), host, to.host),
    addressFor: () => ({ host, port: 5060 }),
    listen: (onMessage) => listeners.set(host, onMessage),
  })
  let nextPort = 20_000
  const openMedia = (host: string) => async (): Promise<MediaSocket> => {
    const local = { host, port: nextPort }
    nextPort += 2
    const key = (to: { host: string; port: number }) => `${to.host}:${to.port}`
    return {
      local,
      sendRtp: (packet, to) => clock.schedule(() => media.get(key(to))?.onRtp(packet, local), delayMs),
      sendRtcp: (packet, to) =>
        clock.schedule(() => media.get(key({ ...to, port: to.port - 1 }))?.onRtcp(packet, local), delayMs),
      listen: (events) => media.set(key(local), events),
      close: () => media.delete(key(local)),
    }
  }
  const network: VirtualNetwork = {
    clock,
    sent,
    rule: () => true,
    async pass(ms) {
      const end = now + ms
      for (;;) {
        await flush()
        const next = [...timers].sort((a, b) => a.atMs - b.atMs)[0]
        if (next === undefined || next.atMs > end) break
        timers.delete(next)
        now = next.atMs
        next.callback()
      }
      now = end
    },
    addAgent(host, options = {}) {
      const next = seededRandom([...host].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))
      return createSipAgent({
        mayReach: () => true,
        trunks: [trunkOf('10.0.0.1'), trunkOf('10.0.0.2'), trunkOf('10.0.0.3')],
        sockets: socketsOf(host),
        openMedia: openMedia(host),
        clock,
        pacer: createFramePacer(clock),
        random: (count) => Uint8Array.from({ length: count }, () => Math.floor(256 * next())),
        onInvite: (call) => call.refuse(486),
        ...options,
      })
    },
    addPeer(host, onMessage) {
      listeners.set(host, (message, from) => onMessage(message.toString(), from))
      return { send: (text, to) => deliver(text, host, to) }
    },
    linesFrom: (host) => sent.filter(({ from }) => from === host).map(({ text }) => text.split('\r\n')[0] ?? ''),
  }
  return network
}

/** @param host also its id */
export function trunkOf(host: string, credentials: SipTrunk['credentials'] = null): SipTrunk {
  return { id: host, addresses: [host], target: { transport: 'udp', host, port: 5060 }, credentials }
}

export interface RecordedLeg extends LegEvents {
  readonly keys: string[]
  readonly ends: LegEnd[]
  readonly holds: boolean[]
  readonly audio: Int16Array[]
}

export function recordLeg(): RecordedLeg {
  const keys: string[] = []
  const ends: LegEnd[] = []
  const holds: boolean[] = []
  const audio: Int16Array[] = []
  return {
    keys,
    ends,
    holds,
    audio,
    onAudio: (pcm) => audio.push(pcm),
    onDtmf: (key) => keys.push(key),
    onHold: (isHeld) => holds.push(isHeld),
    onEnded: (end) => ends.push(end),
  }
}

/** Answers each call at once. */
export function answerAll(
  record: LegEvents,
  onLeg: (leg: Awaited<ReturnType<IncomingCall['answer']>>) => void = () => {},
) {
  return (call: IncomingCall) => {
    call.ring()
    call.answer(record).then(onLeg, () => {})
  }
}

/** The audio of frames in one piece. */
export function joinFrames(frames: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(frames.reduce((sum, frame) => sum + frame.length, 0))
  let at = 0
  for (const frame of frames) {
    joined.set(frame, at)
    at += frame.length
  }
  return joined
}
