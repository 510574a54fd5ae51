import { createFramePacer, frameMs } from '@ratchet/audio/create-frame-pacer'
import { mediaFormat } from '@ratchet/contracts/voice/media-messages'
import type { CallSettings } from '../src/engine/call-settings.ts'
import { createCall } from '../src/engine/create-call.ts'
import { createWebTransport } from '../src/media/web-transport.ts'
import { createEnergyDetector } from '../src/sim-speech/energy-detector.ts'
import {
  openScriptedRecognizer,
  scripted,
  scriptedJudge,
  scriptedSynthesizer,
  scriptedWaitMs,
  scriptedWriter,
} from './scripted-parts.ts'

const { sampleRate } = mediaFormat
const frameSamples = (sampleRate * frameMs) / 1_000

export interface CallFigures {
  readonly calls: number
  readonly answers: number
  /** Milliseconds that callers waited beyond the scripted parts, sorted. */
  readonly addedMs: readonly number[]
  /** How late the ticks of the pacer were, milliseconds, sorted. */
  readonly lateMs: readonly number[]
  /** Of one core, with the simulated callers. */
  readonly cpuShare: number
  readonly rssMb: number
}

const settings: CallSettings = {
  language: 'en-US',
  firstMessage: null,
  isFirstMessageInterruptible: true,
  endpointing: { detector: 'smart', minEndpointMs: scripted.endpointMs, maxEndpointMs: 2_000, language: 'en-US' },
  interrupting: { sensitivity: 0.5, language: 'en-US', backchannels: [] },
  keypad: null,
  voicemail: null,
  silenceTimeoutMs: 600_000,
  reminders: [],
  maxDurationMs: 3_600_000,
  tools: {},
  canEndCall: false,
  lines: { filler: 'One moment please.', apology: 'Sorry.' },
}

const voice = Int16Array.from({ length: frameSamples }, (_, i) => 8_000 * Math.sin(i / 3))
const silence = new Int16Array(frameSamples)
const bytesOf = (pcm: Int16Array) => Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)

/** Frames of a sentence of the caller, and of silence after the agent has answered. */
const spokenFrames = 50
const restFrames = 30

/** Calls in this process for some seconds, in real time: each caller asks, waits for the answer, hears it and asks again. */
export async function measureCalls(count: number, seconds: number): Promise<CallFigures> {
  const nowMs = () => performance.now()
  const lateMs: number[] = []
  let dueMs = 0
  const pacer = createFramePacer({
    nowMs,
    schedule(callback, delayMs) {
      dueMs = nowMs() + delayMs
      const timer = setTimeout(() => {
        lateMs.push(nowMs() - dueMs)
        callback()
      }, delayMs)
      return () => clearTimeout(timer)
    },
  })
  const addedMs: number[] = []
  const leave = Array.from({ length: count }, (_, index) => pacer.add(talk(index, addedMs, nowMs)))
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  addedMs.length = 0
  lateMs.length = 0
  const cpu = process.cpuUsage()
  const begunMs = nowMs()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  const used = process.cpuUsage(cpu)
  const wallMs = nowMs() - begunMs
  for (const end of leave) end()
  const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
  return {
    calls: count,
    answers: addedMs.length,
    addedMs: sorted(addedMs),
    lateMs: sorted(lateMs),
    cpuShare: (used.user + used.system) / 1_000 / wallMs,
    rssMb: Math.round(process.memoryUsage.rss() / 1_048_576),
  }
}

/** One call. @returns what must happen every 20 ms */
function talk(index: number, addedMs: number[], nowMs: () => number): () => void {
  let utterance = 0
  let playedFrames = 0
  let voiceEndMs: number | null = null
  const transport = createWebTransport(
    {
      send(message) {
        if (message.type !== 'audio') return
        utterance = message.id
        playedFrames = 0
      },
      sendAudio() {
        if (voiceEndMs !== null) addedMs.push(nowMs() - voiceEndMs - scriptedWaitMs)
        voiceEndMs = null
        playedFrames += 1
      },
      close: () => undefined,
      terminate: () => undefined,
    },
    () => undefined,
  )
  const call = createCall({
    settings,
    transport,
    openRecognizer: openScriptedRecognizer,
    synthesizer: scriptedSynthesizer(sampleRate),
    writer: scriptedWriter,
    tools: { call: () => undefined },
    detector: createEnergyDetector(sampleRate),
    endJudge: scriptedJudge,
    nowMs,
    onTurn: () => undefined,
    onEnd: () => undefined,
  })
  transport.connect(call)
  call.answer()
  // Callers do not speak at the same time.
  let frame = -(index * 7) % (spokenFrames + restFrames)
  let heardFrames = 0
  return () => {
    const isSpeaking = frame >= 0 && frame < spokenFrames
    transport.takeAudio(bytesOf(isSpeaking ? voice : silence))
    frame += 1
    if (frame === spokenFrames) voiceEndMs = nowMs()
    transport.passFrame()
    call.tick()
    if (playedFrames > 0 && frame % 5 === 0)
      transport.take({ type: 'played', id: utterance, ms: playedFrames * frameMs })
    // The next sentence comes when the answer was heard.
    heardFrames = frame > spokenFrames && voiceEndMs === null ? heardFrames + 1 : 0
    if (heardFrames > 60 + restFrames) frame = 0
  }
}
