import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createFramePacer, frameMs } from '@ratchet/audio/create-frame-pacer'
import { createResampler } from '@ratchet/audio/create-resampler'
import { decodeMuLaw, encodeMuLaw } from '@ratchet/audio/g711'
import { parseRtp, writeRtp } from '@ratchet/audio/rtp/rtp-packet'

export interface LegFigures {
  readonly legs: number
  readonly sent: number
  readonly received: number
  /** Packets that came more than a frame later than 20 ms after the one before them. */
  readonly late: number
  /** How much later than that, milliseconds, sorted. */
  readonly lateMs: readonly number[]
  readonly cpuShare: number
}

/** Legs of G.711 over UDP in this process, both ways; the other ends are in a thread of their own. */
export async function measureLegs(legs: number, seconds: number): Promise<LegFigures> {
  const peer = new Worker(new URL('./leg-peer.ts', import.meta.url), { workerData: { legs } })
  const [port] = (await once(peer, 'message')) as [number]
  const sockets = await Promise.all(Array.from({ length: legs }, () => openLeg(port)))
  const pacer = createFramePacer({
    nowMs: () => performance.now(),
    schedule(callback, delayMs) {
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
  })
  const cpu = process.cpuUsage()
  const begunMs = performance.now()
  const leave = sockets.map(({ send }) => pacer.add(send))
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  for (const end of leave) end()
  const used = process.cpuUsage(cpu)
  const wallMs = performance.now() - begunMs
  await new Promise((resolve) => setTimeout(resolve, 300))
  peer.postMessage('end')
  const [{ received, lateMs }] = (await once(peer, 'message')) as [{ received: number; lateMs: readonly number[] }]
  for (const { close } of sockets) close()
  await peer.terminate()
  return {
    legs,
    sent: sockets.reduce((sum, { count }) => sum + count(), 0),
    received,
    late: lateMs.filter((ms) => ms > frameMs).length,
    lateMs: lateMs.toSorted((a, b) => a - b),
    cpuShare: (used.user + used.system) / 1_000 / wallMs,
  }
}

/** A leg: it sends a frame every 20 ms, and decodes what comes back to 16 kHz, as a call does. */
async function openLeg(port: number) {
  const socket = createSocket('udp4')
  const upsample = createResampler(8_000, 16_000)
  const pcm = Int16Array.from({ length: 160 }, (_, i) => 6_000 * Math.sin(i / 4))
  let sequence = 0
  socket.on('message', (bytes) => {
    const packet = parseRtp(bytes)
    if (packet !== null) upsample.push(decodeMuLaw(packet.payload))
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    count: () => sequence,
    close: () => socket.close(),
    send() {
      const payload = encodeMuLaw(pcm)
      const packet = writeRtp({
        payloadType: 0,
        isMarked: sequence === 0,
        sequence: sequence & 0xffff,
        timestamp: sequence * 160,
        ssrc: 1,
        payload,
      })
      sequence += 1
      socket.send(packet, port, '127.0.0.1')
    },
  }
}
