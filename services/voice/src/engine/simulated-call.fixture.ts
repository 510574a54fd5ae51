import { createFramePacer, frameMs } from '@ratchet/audio/create-frame-pacer'
import { createToneReader, type ReadWord } from '@ratchet/audio/readable-speech/create-tone-reader'
import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import { createEnergyDetector } from '../sim-speech/energy-detector.ts'
import { openSimRecognizer } from '../sim-speech/sim-recognizer.ts'
import { createSimSynthesizer } from '../sim-speech/sim-synthesizer.ts'
import { createBeepDetector } from '../voicemail/beep-detector.ts'
import type { Answerer } from '../voicemail/screen-answer.ts'
import type { CallEvent, EngineEnd, RequestedTool, Turn } from './call-events.ts'
import type { CallSettings } from './call-settings.ts'
import { type Call, createCall } from './create-call.ts'
import type { AnswerWriter, CallTransport, Synthesizer, ToolCaller } from './ports.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.fixture.ts'

export const sampleRate = 8_000
const frameSamples = (sampleRate * frameMs) / 1000

export const testSettings: CallSettings = {
  language: 'en-US',
  firstMessage: null,
  isFirstMessageInterruptible: true,
  endpointing: { detector: 'vad', minEndpointMs: 300, maxEndpointMs: 2_000, language: 'en-US' },
  interrupting: { sensitivity: 0.5, language: 'en-US', backchannels: [] },
  keypad: { finishOn: '#', timeoutMs: 3_000 },
  voicemail: null,
  silenceTimeoutMs: 30_000,
  reminders: ['Are you still there?'],
  maxDurationMs: 600_000,
  tools: {
    find_order: { speakAfterMs: 700, filler: 'Let me look that up.' },
    note: { speakAfterMs: 700, filler: null },
  },
  canEndCall: true,
  lines: { filler: 'One moment please.', apology: 'I am sorry, something went wrong.' },
}

/** A text, then calls of tools. */
export interface ScriptedAnswer {
  readonly text: string
  readonly tools: readonly RequestedTool[]
}

/** What a model writes, in order; text after text, one every 20 ms after the first 200. */
export function scriptedWriter(clock: VirtualClock, answers: readonly (string | ScriptedAnswer)[]) {
  const requests: { readonly turns: readonly Turn[]; readonly mayCallTools: boolean }[] = []
  let drained = 0
  const writer: AnswerWriter = {
    answer({ turns, mayCallTools }, { onText, onTools, onEnd, onFailed }) {
      const scripted = answers[requests.length] ?? 'All right.'
      const { text, tools } = typeof scripted === 'string' ? { text: scripted, tools: [] } : scripted
      requests.push({ turns, mayCallTools })
      if (text === 'silence') return () => undefined
      const deltas = text === 'fail' ? [] : text.split(/(?<= )/)
      let i = 0
      const write = () => {
        const delta = deltas[i++]
        if (delta === undefined) {
          if (text === 'fail') return onFailed()
          if (tools.length > 0) onTools(tools)
          return onEnd()
        }
        onText(delta)
        clock.schedule(write, 20)
      }
      clock.schedule(write, 200)
      return () => {
        drained++
      }
    },
  }
  return { writer, requests, drained: () => drained }
}

export interface SimulatedCall {
  readonly clock: VirtualClock
  readonly call: Call
  /** What the caller's ear read. */
  readonly ear: readonly ReadWord[]
  readonly turns: readonly Turn[]
  readonly events: readonly CallEvent[]
  readonly ends: readonly (EngineEnd | null)[]
  /** Volumes that were set. */
  readonly volumes: readonly number[]
  /** The caller says something, from now on. */
  speak(text: string): void
  /** The other side makes this sound, from now on. */
  sound(pcm: Int16Array): void
  /** Who answered, as it was found. */
  readonly answerers: readonly Answerer[]
  /** Milliseconds of sound of the caller that is still to come. */
  mouthMs(): number
}

interface Options {
  readonly settings?: Partial<CallSettings>
  readonly answers?: readonly (string | ScriptedAnswer)[]
  readonly tools?: ToolCaller
  /** One way. */
  readonly delayMs?: number
  /** Stands in for the synthesizer. */
  readonly synthesizer?: Synthesizer
  readonly clock?: VirtualClock
  readonly writer?: AnswerWriter
}

/** A call in one process and in virtual time: the product's engine, and a caller who hears only what comes out of the line. */
export function startSimulatedCall(options: Options = {}): SimulatedCall {
  const { settings = {}, answers = [], delayMs = 40, clock = createVirtualClock() } = options
  const turns: Turn[] = []
  const events: CallEvent[] = []
  const ends: (EngineEnd | null)[] = []
  const answerers: Answerer[] = []
  const schedule = clock.schedule
  const line = createSimulatedLine(clock, delayMs)
  const call = createCall({
    settings: { ...testSettings, ...settings },
    transport: line.transport,
    openRecognizer: (handlers) => openSimRecognizer(sampleRate, handlers),
    synthesizer: options.synthesizer ?? createSimSynthesizer({ sampleRate, schedule, firstAudioMs: 100 }),
    writer: options.writer ?? scriptedWriter(clock, answers).writer,
    tools: options.tools ?? { call: () => undefined },
    detector: createEnergyDetector(sampleRate),
    endJudge: null,
    nowMs: clock.nowMs,
    onTurn: (turn) => turns.push(turn),
    beeps: createBeepDetector(sampleRate),
    onAnswerer: (by) => answerers.push(by),
    onEnd: (reason) => ends.push(reason),
    record: (event) => events.push(event),
  })
  line.connect(call)
  const pacer = createFramePacer(clock)
  pacer.add(() => {
    line.passFrame()
    call.tick()
  })
  call.answer()
  return {
    clock,
    call,
    ear: line.ear,
    turns,
    events,
    ends,
    volumes: line.volumes,
    speak: line.speak,
    sound: line.sound,
    answerers,
    mouthMs: line.mouthMs,
  }
}

/** A line that delays everything by the same time. Audio that left can no longer be dropped. */
function createSimulatedLine(clock: VirtualClock, delayMs: number) {
  const speaker = createToneSpeaker(sampleRate)
  const reader = createToneReader(sampleRate)
  const ear: ReadWord[] = []
  const volumes: number[] = []
  const played = new Map<number, number>()
  const dropped = new Set<number>()
  let queue: { readonly utterance: number; readonly pcm: Int16Array }[] = []
  let mouth = new Int16Array(0)
  let volume = 0
  let call: Call | null = null

  const sound = (pcm: Int16Array) => {
    mouth = Int16Array.from([...mouth, ...pcm])
  }
  const later = (callback: () => void) => clock.schedule(callback, delayMs)
  const arrive = (utterance: number | null, pcm: Int16Array) => {
    ear.push(...reader.push(pcm))
    if (utterance === null) return
    const playedMs = (played.get(utterance) ?? 0) + frameMs
    played.set(utterance, playedMs)
    later(() => call?.onPlayed(utterance, playedMs))
  }
  const transport: CallTransport = {
    sampleRate,
    play(utterance, pcm) {
      if (dropped.has(utterance)) return
      if (!played.has(utterance)) {
        played.set(utterance, 0)
        volume = 0
      }
      for (let at = 0; at < pcm.length; at += frameSamples) {
        const frame = new Int16Array(frameSamples)
        frame.set(pcm.subarray(at, at + frameSamples))
        queue.push({ utterance, pcm: frame })
      }
    },
    clear(utterance) {
      dropped.add(utterance)
      queue = queue.filter((frame) => frame.utterance !== utterance)
      // The other side answers once everything that was sent before has arrived.
      later(() => later(() => call?.onCleared(utterance, played.get(utterance) ?? 0)))
    },
    setVolume(db) {
      volumes.push(db)
      volume = db
    },
    hangUp: () => undefined,
  }
  return {
    transport,
    ear,
    volumes,
    connect(to: Call) {
      call = to
    },
    mouthMs: () => (mouth.length * 1000) / sampleRate,
    speak: (text: string) => sound(speaker.say(text).pcm),
    sound,
    /** One frame in each direction. */
    passFrame() {
      const spoken = new Int16Array(frameSamples)
      spoken.set(mouth.subarray(0, frameSamples))
      mouth = mouth.slice(frameSamples)
      later(() => call?.onAudio(spoken))
      const frame = queue.shift()
      const pcm = frame?.pcm ?? new Int16Array(frameSamples)
      const gain = 10 ** (volume / 20)
      const quieter = volume === 0 ? pcm : pcm.map((sample) => Math.round(sample * gain))
      later(() => arrive(frame?.utterance ?? null, quieter))
    },
  }
}
