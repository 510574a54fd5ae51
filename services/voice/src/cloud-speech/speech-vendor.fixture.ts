import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createToneReader } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { type WebSocket, WebSocketServer } from 'ws'

export interface VendorRequest {
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** JSON, of requests over HTTP. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies as providers would
  readonly body: any
}

export interface VendorScript {
  /** A WebSocket was opened; `count` of them until then. */
  readonly onSocket?: (socket: WebSocket, count: number) => void
  /** Status of the refusal of a WebSocket; undefined: it is accepted. */
  readonly refuse?: (count: number) => number | undefined
  readonly answer?: (request: VendorRequest, response: ServerResponse) => void
}

export interface SpeechVendor {
  readonly url: string
  readonly requests: VendorRequest[]
  /** Requests for WebSockets, also refused ones. */
  readonly sockets: VendorRequest[]
  close(): Promise<void>
}

/** A provider of speech that does what a test says, over real HTTP and WebSockets. */
export async function startSpeechVendor(script: VendorScript): Promise<SpeechVendor> {
  const requests: VendorRequest[] = []
  const sockets: VendorRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const got = { url: request.url ?? '', headers: request.headers, body }
    requests.push(got)
    script.answer?.(got, response)
  })
  const upgrades = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const count = sockets.push({ url: request.url ?? '', headers: request.headers, body: null }) - 1
    const status = script.refuse?.(count)
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    upgrades.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => undefined)
      script.onSocket?.(opened, count)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    sockets,
    async close() {
      for (const client of upgrades.clients) client.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const sendJson = (socket: WebSocket, message: object): void => socket.send(JSON.stringify(message))

export const deepgramResult = (text: string, isFinal: boolean, endMs = 0) => ({
  type: 'Results',
  is_final: isFinal,
  speech_final: isFinal,
  start: 0,
  duration: endMs / 1_000,
  channel: { alternatives: [{ transcript: text, confidence: 0.9 }] },
})

/** Understands the language of tones, and answers as Deepgram. */
export function recognizeAsDeepgram(socket: WebSocket, sampleRate: number): void {
  const reader = createToneReader(sampleRate)
  let words: string[] = []
  let ms = 0
  const finish = () => {
    sendJson(socket, deepgramResult(words.join(' '), true, ms))
    words = []
  }
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) {
      if (JSON.parse(String(data)).type === 'Finalize') finish()
      return
    }
    const pcm = new Int16Array(data.length / 2)
    for (let i = 0; i < pcm.length; i++) pcm[i] = data.readInt16LE(2 * i)
    ms += (pcm.length * 1_000) / sampleRate
    const read = reader.push(pcm)
    if (read.length === 0) return
    words.push(...read.map(({ text }) => text))
    sendJson(socket, deepgramResult(words.join(' '), false))
  })
}

/** Lines as ElevenLabs sends them: audio of 100 ms with the times of the characters that end in it. */
export function elevenlabsLines(text: string): string[] {
  const { pcm, words } = createToneSpeaker(16_000).say(text)
  const lines: string[] = []
  const step = 1_600
  for (let at = 0; at < pcm.length; at += step) {
    const part = pcm.subarray(at, at + step)
    const ended = words.filter(({ endMs }) => endMs > at / 16 && endMs <= (at + step) / 16)
    const characters = ended.flatMap((word) => [...`${word.text} `])
    const ends = ended.flatMap((word) => [...`${word.text} `].map(() => word.endMs / 1_000))
    const audio = Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('base64')
    const alignment = { characters, character_start_times_seconds: ends, character_end_times_seconds: ends }
    lines.push(`${JSON.stringify({ audio_base64: audio, alignment })}\n`)
  }
  return lines
}

/** Speaks the language of tones, and answers as ElevenLabs. */
export function speakAsElevenlabs({ body }: VendorRequest, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(elevenlabsLines(body.text).join(''))
}
