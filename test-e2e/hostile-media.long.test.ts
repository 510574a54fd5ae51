import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { eventually } from '@ratchet/testing/eventually'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

/* What somebody without a token sends on WebSockets of callers and of carriers. */

/** Longer than a busy machine keeps a worker from answering. */
const longMs = 1_500
const maxGrowthBytes = 150 * mebibyte
const attackMs = 12_000
const sockets = 60

let voice: VoiceFleet
beforeAll(async () => {
  voice = await startVoiceFleet()
}, 300_000)
afterAll(() => voice?.stop(), 180_000)

/** A frame of a client, whose mask changes nothing. */
function frame(opcode: number, payload: Buffer): Buffer {
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff]
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), payload])
}

const repeated = (one: Buffer) =>
  Buffer.concat(Array.from({ length: Math.ceil((256 * 1_024) / one.length) }, () => one))
const pings = repeated(frame(0x9, Buffer.alloc(125)))
const frames = repeated(frame(0x2, Buffer.alloc(2)))
const words = repeated(frame(0x1, Buffer.from(`{"event":"noise","list":[${Array(15_000).fill('[]').join(',')}]}`)))
const media = repeated(frame(0x1, Buffer.from('{"event":"media","media":{"payload":""}}')))

const web = `/media/call_${'0'.repeat(32)}`
const carrier = `${web}/twilio/${'a'.repeat(43)}`

/** Connections that send without end and read nothing; each is opened again when it is closed. In a thread, so that probes are not late. */
const attacker = `
const { connect } = require('node:net')
const { workerData: { port, path, bytes, sockets } } = require('node:worker_threads')
const head = ['GET ' + path + ' HTTP/1.1', 'host: a', 'connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', '', ''].join('\\r\\n')
function open() {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => undefined).on('close', () => setTimeout(open, 20))
  socket.write(head)
  const write = () => { while (!socket.destroyed && socket.write(bytes)); }
  socket.on('drain', write).on('connect', write)
}
for (let i = 0; i < sockets; i++) open()`

function flood(path: string, bytes: Buffer): Worker {
  const port = Number(new URL(voice.worker.url).port)
  return new Worker(attacker, { eval: true, workerData: { port, path, bytes, sockets } })
}

const memoryOf = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024

it.each([
  ['pings whose answers nobody reads, to the socket of a call', web, pings],
  ['pings whose answers nobody reads, to that of a carrier', carrier, pings],
  ['the smallest frames of audio', web, frames],
  ['empty frames of a carrier', carrier, media],
  ['large messages that mean nothing', carrier, words],
])(
  'answers others while connections without a token send %s',
  async (_what, path, bytes) => {
    const before = memoryOf(voice.worker.pid)
    const thread = flood(path, bytes)
    const endMs = performance.now() + attackMs
    let longest = 0
    await eventually(
      async () => {
        const fromMs = performance.now()
        await fetch(`${voice.worker.url}/readyz`, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined)
        longest = Math.max(longest, performance.now() - fromMs)
        return performance.now() > endMs
      },
      { withinMs: 100_000, everyMs: 20 },
    )
    await thread.terminate()
    expect(longest).toBeLessThan(longMs)
    expect(memoryOf(voice.worker.pid) - before).toBeLessThan(maxGrowthBytes)
  },
  120_000,
)
