import type { CallCommand, CallEvent } from '../engine/call-events.ts'
import { createLatencyTracker } from './turn-latency.ts'

const voice = (atMs: number, probability: number): CallEvent => ({
  kind: 'voice',
  atMs,
  windowMs: 32,
  probability,
  isEcho: false,
})
const request: CallCommand = { kind: 'request-answer', request: 1, turns: [], isRetry: false, mayCallTools: true }
const speak: CallCommand = { kind: 'speak', utterance: 1, piece: 1, text: 'Hello.', isRetry: false }

it('measures from the last sound of the caller to the first of the agent', () => {
  const tracker = createLatencyTracker()
  tracker.observe(voice(1_000, 0.9), [])
  tracker.observe(voice(1_032, 0.1), [])
  tracker.observe({ kind: 'recognized', atMs: 1_150, text: 'Hi', isFinal: true }, [])
  tracker.observe({ kind: 'time', atMs: 1_300 }, [request])
  tracker.observe({ kind: 'answer-text', atMs: 1_500, request: 1, text: 'Hello.' }, [speak])
  tracker.observe({ kind: 'speech-audio', atMs: 1_600, piece: 1, durationMs: 200, words: [] }, [])
  tracker.observe({ kind: 'played', atMs: 1_720, utterance: 1, playedMs: 40 }, [])
  expect(tracker.take()).toEqual({ eot_ms: 300, stt_ms: 150, llm_ttft_ms: 200, tts_ttfa_ms: 100, total_ms: 680 })
  expect(tracker.take()).toBeNull()
})

it('measures nothing of a turn that answers nothing', () => {
  const tracker = createLatencyTracker()
  tracker.observe({ kind: 'answered', atMs: 0 }, [speak])
  tracker.observe({ kind: 'speech-audio', atMs: 60, piece: 1, durationMs: 200, words: [] }, [])
  expect(tracker.take()).toBeNull()
})
