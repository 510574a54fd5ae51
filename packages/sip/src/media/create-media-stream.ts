import type { FramePacer } from '@ratchet/audio/create-frame-pacer'
import type { JitterCounts } from '@ratchet/audio/create-jitter-buffer'
import { parseRtcp, type RtcpContent, writeSenderReport } from '@ratchet/audio/rtp/rtcp-packet'
import { parseRtp, writeRtp } from '@ratchet/audio/rtp/rtp-packet'
import type { MediaSocket, RandomBytes, SipClock } from '../ports.ts'
import type { MediaPlan } from '../session/negotiate.ts'
import type { Direction } from '../session/sdp.ts'
import { type AudioReceiver, createAudioReceiver } from './create-audio-receiver.ts'
import { type AudioSender, createAudioSender } from './create-audio-sender.ts'
import { createMediaLatch, type MediaPeers } from './media-latch.ts'

/** The audio of one call, both ways, from an answer to its end. */
export interface MediaStream
  extends Pick<AudioSender, 'queue' | 'clear' | 'playedMs' | 'queuedMs' | 'press' | 'setVolume'> {
  /** A new description of the other side. @param own what we said that we do */
  setPlan(plan: MediaPlan, own: Direction): void
  readonly stats: MediaStats
  close(): void
}

export interface MediaStats extends Readonly<JitterCounts> {
  readonly sent: number
  /** Packets from addresses that do not belong to the call, and what is no RTP. */
  readonly ignored: number
  /** Share of our packets that the other side lost, 0 to 1, of its last report; null before the first. */
  readonly lostByPeer: number | null
  readonly roundTripMs: number | null
}

export interface MediaEvents {
  /** 20 ms at 8 kHz: speech as it arrives, silence while nothing does. */
  onAudio(pcm: Int16Array): void
  onKey(key: string): void
  /** Queued audio went out: milliseconds since the last `clear`. */
  onPlayed(playedMs: number): void
}

export interface MediaDeps {
  readonly socket: MediaSocket
  readonly pacer: FramePacer
  readonly clock: SipClock
  readonly random: RandomBytes
  readonly peers: MediaPeers
}

/** Between reports of RTCP. */
const reportEveryMs = 5_000
/** Seconds between 1900, where time of RTCP begins, and the zero of our clock do not matter: only differences do. */
const ntpPerMs = 4_294_967.296

export function createMediaStream(plan: MediaPlan, own: Direction, events: MediaEvents, deps: MediaDeps): MediaStream {
  const { socket, pacer, clock, random } = deps
  const latch = createMediaLatch(plan, deps.peers)
  const receiver = createAudioReceiver(plan, (key) => events.onKey(key))
  const sender = createAudioSender(sendPlan(plan, own), firstNumbers(random))
  const reports = createReports(sender, receiver, clock)
  let rtcpPort = plan.rtcpPort
  let ignored = 0
  let sent = 0

  const sendReport = (isBye: boolean) => {
    if (latch.target === null) return
    const { host, port } = latch.target
    const isDescribed = port === plan.port
    socket.sendRtcp(reports.write(isBye), { host, port: isDescribed ? rtcpPort : port + 1 })
  }
  socket.listen({
    onRtp(bytes, from) {
      const packet = parseRtp(bytes)
      if (packet === null || !latch.accept(from)) ignored++
      else receiver.receive(packet, clock.nowMs())
    },
    onRtcp(bytes, { host }) {
      if (host === latch.target?.host) reports.read(parseRtcp(bytes))
    },
  })
  let cancelReport = clock.schedule(report, reportEveryMs)
  function report() {
    sendReport(false)
    cancelReport = clock.schedule(report, reportEveryMs)
  }
  const stopPacing = pacer.add(() => {
    const playedBefore = sender.playedMs
    const packet = sender.next()
    if (packet !== null && latch.target !== null) {
      sent++
      socket.sendRtp(writeRtp(packet), latch.target)
    }
    if (sender.playedMs > playedBefore) events.onPlayed(sender.playedMs)
    const frame = receiver.take()
    if (frame !== null) events.onAudio(frame)
  })
  return {
    queue: sender.queue,
    clear: sender.clear,
    press: sender.press,
    setVolume: sender.setVolume,
    get playedMs() {
      return sender.playedMs
    },
    get queuedMs() {
      return sender.queuedMs
    },
    setPlan(next, direction) {
      latch.reset(next)
      rtcpPort = next.rtcpPort
      receiver.setPlan(next)
      sender.setPlan(sendPlan(next, direction))
    },
    get stats() {
      return { ...receiver.counts, sent, ignored, ...reports.ofPeer }
    },
    close() {
      stopPacing()
      cancelReport()
      sendReport(true)
      socket.close()
    },
  }
}

function sendPlan({ codec, payloadType, eventPayloadType }: MediaPlan, own: Direction) {
  return { codec, payloadType, eventPayloadType, isSending: own === 'sendrecv' || own === 'sendonly' }
}

function firstNumbers(random: RandomBytes) {
  const view = new DataView(Uint8Array.from(random(10)).buffer)
  return { ssrc: view.getUint32(0), timestamp: view.getUint32(4), sequence: view.getUint16(8) & 0x7fff }
}

/** Writes our reports and reads theirs (RFC 3550, section 6.4). */
function createReports(sender: AudioSender, receiver: AudioReceiver, clock: SipClock) {
  let theirReport: { time: bigint; atMs: number } | null = null
  const ofPeer: { lostByPeer: number | null; roundTripMs: number | null } = { lostByPeer: null, roundTripMs: null }
  const now = () => BigInt(Math.round(clock.nowMs() * ntpPerMs))
  return {
    ofPeer,
    write(isBye: boolean): Uint8Array {
      const received = receiver.report()
      const { ssrc, timestamp, packets, bytes } = sender.sent
      const last =
        theirReport === null ? { lastReport: 0, sinceLastReport: 0 } : sinceReport(theirReport, clock.nowMs())
      const own = { ssrc, timestamp, packets, bytes, ntpTime: BigInt.asUintN(64, now()) }
      return writeSenderReport({ ...own, received: received && { ...received, ...last } }, 'ratchet', { isBye })
    },
    read(content: RtcpContent | null) {
      if (content === null) return
      if (content.senderTime !== null) theirReport = { time: content.senderTime, atMs: clock.nowMs() }
      for (const { ssrc, lostShare, lastReport, sinceLastReport } of content.reports) {
        if (ssrc !== sender.sent.ssrc) continue
        ofPeer.lostByPeer = lostShare
        if (lastReport === 0) continue
        const middle = Number(BigInt.asUintN(32, now() >> 16n))
        ofPeer.roundTripMs = Math.max(0, (((middle - lastReport - sinceLastReport) | 0) * 1_000) / 65_536)
      }
    },
  }
}

function sinceReport({ time, atMs }: { readonly time: bigint; readonly atMs: number }, nowMs: number) {
  return {
    lastReport: Number(BigInt.asUintN(32, time >> 16n)),
    sinceLastReport: Math.round(((nowMs - atMs) * 65_536) / 1_000),
  }
}
