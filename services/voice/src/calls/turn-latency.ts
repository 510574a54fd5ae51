import type { TurnLatency } from '@ratchet/contracts/voice/calls'
import type { CallCommand, CallEvent } from '../engine/call-events.ts'

/** Measures how long the caller waits for each turn of the agent. */
export interface LatencyTracker {
  observe(event: CallEvent, commands: readonly CallCommand[]): void
  /** Of the turn of the agent that has just ended; null when it answered nothing that the caller said. */
  take(): TurnLatency | null
}

interface Waiting {
  readonly voiceEndMs: number
  readonly recognizedMs: number | null
  readonly requestedMs: number
  request: number
  textMs: number | null
  spokenMs: number | null
  audioMs: number | null
  playedMs: number | null
}

/** From this probability on, sound is speech. */
const minSpeech = 0.5

export function createLatencyTracker(): LatencyTracker {
  let voiceEndMs: number | null = null
  let recognizedMs: number | null = null
  let waiting: Waiting | null = null

  function observeEvent(event: CallEvent): void {
    if (event.kind === 'voice' && event.probability >= minSpeech && !event.isEcho) voiceEndMs = event.atMs
    if (event.kind === 'recognized' && event.isFinal) recognizedMs = event.atMs
    if (waiting === null) return
    if (event.kind === 'answer-text' && event.request === waiting.request) waiting.textMs ??= event.atMs
    if (event.kind === 'speech-audio' && waiting.spokenMs !== null) waiting.audioMs ??= event.atMs
    if (event.kind === 'played' && waiting.audioMs !== null) waiting.playedMs ??= event.atMs - event.playedMs
  }

  function observeCommand(command: CallCommand, atMs: number): void {
    if (command.kind === 'request-answer') {
      // Another request for the same turn, such as after tools or a failure, goes on waiting.
      if (voiceEndMs === null) {
        if (waiting !== null) waiting.request = command.request
        return
      }
      const rest = { textMs: null, spokenMs: null, audioMs: null, playedMs: null }
      waiting = { voiceEndMs, recognizedMs, requestedMs: atMs, request: command.request, ...rest }
      voiceEndMs = null
      recognizedMs = null
    }
    if (command.kind === 'speak' && waiting?.textMs != null) waiting.spokenMs ??= atMs
  }

  return {
    observe(event, commands) {
      observeEvent(event)
      for (const command of commands) observeCommand(command, event.atMs)
    },
    take() {
      if (waiting === null || waiting.audioMs === null) return null
      const { requestedMs, textMs, spokenMs, audioMs, playedMs, recognizedMs: wordsMs } = waiting
      const since = waiting.voiceEndMs
      waiting = null
      return {
        eot_ms: whole(requestedMs - since),
        stt_ms: wordsMs === null ? null : whole(wordsMs - since),
        llm_ttft_ms: textMs === null ? null : whole(textMs - requestedMs),
        tts_ttfa_ms: spokenMs === null ? null : whole(audioMs - spokenMs),
        total_ms: playedMs === null ? null : whole(playedMs - since),
      }
    },
  }
}

/** A model may answer before all words are final. */
function whole(ms: number): number {
  return Math.max(0, Math.round(ms))
}
