import { isBackchannel } from './text-votes.ts'

/** When speech of the caller stops the agent. */
export interface InterruptSettings {
  /** 0 to 1: how little speech stops the agent; 0: none does. */
  readonly sensitivity: number
  readonly language: string
  /** Further words that only show that the caller listens. */
  readonly backchannels: readonly string[]
}

export type InterruptEvent =
  /** @property isEcho true when the sound is the agent's own, coming back */
  | {
      readonly kind: 'voice'
      readonly atMs: number
      readonly windowMs: number
      readonly probability: number
      readonly isEcho: boolean
    }
  /** What was recognized since the caller began to speak. */
  | { readonly kind: 'text'; readonly atMs: number; readonly text: string }
  | { readonly kind: 'time'; readonly atMs: number }

/**
 * `duck`: play the agent's speech quieter. `unduck`: as before. `stop`: stop it, and remember the place. Then either
 * `confirm`: the caller has the turn, or `resume`: it was no interruption, so the agent goes on from its last clause.
 */
export type InterruptAction = 'duck' | 'unduck' | 'stop' | 'confirm' | 'resume'

export interface InterruptState {
  readonly phase: 'playing' | 'ducked' | 'stopped'
  /** Windows with speech, the newest last, as end and length in milliseconds. */
  readonly voiced: readonly (readonly [endMs: number, lengthMs: number])[]
  /** Windows with speech in a row. */
  readonly inRow: number
  readonly lastVoiceMs: number
  readonly stoppedMs: number
  readonly text: string
}

export const newInterrupting: InterruptState = {
  phase: 'playing',
  voiced: [],
  inRow: 0,
  lastVoiceMs: 0,
  stoppedMs: 0,
  text: '',
}

const minSpeechProbability = 0.5
/** Windows in a row that lower the agent's voice. */
const duckWindows = 3
/** Silence after which its voice is raised again. */
const unduckAfterMs = 400
/** After a stop: silence without a recognized word that shows that there was none. */
const falseAfterMs = 600

interface Step {
  readonly state: InterruptState
  readonly actions: readonly InterruptAction[]
}

/** Speech that stops the agent: 600 ms at the lowest sensitivity above 0, 160 ms at the highest. */
export function stopAfterMs(sensitivity: number): number {
  return 160 + 440 * (1 - sensitivity)
}

/** The next state of a possible interruption while the agent speaks. A pure function. */
export function interrupt(state: InterruptState, event: InterruptEvent, settings: InterruptSettings): Step {
  if (settings.sensitivity === 0) return { state, actions: [] }
  if (event.kind === 'text') return decide({ ...state, text: event.text }, event.atMs, settings)
  if (event.kind === 'time') return decide(state, event.atMs, settings)
  const isVoiced = event.probability >= minSpeechProbability && !event.isEcho
  return decide(withWindow(state, event, { isVoiced, settings }), event.atMs, settings)
}

function withWindow(
  state: InterruptState,
  { atMs, windowMs }: { readonly atMs: number; readonly windowMs: number },
  { isVoiced, settings }: { readonly isVoiced: boolean; readonly settings: InterruptSettings },
): InterruptState {
  // A quarter more than is needed, so that short gaps between words do not count against the caller.
  const since = atMs - Math.max(400, stopAfterMs(settings.sensitivity) * 1.25)
  const recent = state.voiced.filter(([endMs]) => endMs > since)
  if (!isVoiced) return { ...state, voiced: recent, inRow: 0 }
  return { ...state, voiced: [...recent, [atMs, windowMs]], inRow: state.inRow + 1, lastVoiceMs: atMs }
}

function decide(state: InterruptState, atMs: number, settings: InterruptSettings): Step {
  if (state.phase === 'stopped') return decideStopped(state, atMs, settings)
  const voicedMs = state.voiced.reduce((sum, [, lengthMs]) => sum + lengthMs, 0)
  if (voicedMs >= stopAfterMs(settings.sensitivity) && state.phase === 'ducked') {
    return { state: { ...state, phase: 'stopped', stoppedMs: atMs }, actions: ['stop'] }
  }
  if (state.phase === 'playing' && state.inRow >= duckWindows) {
    return { state: { ...state, phase: 'ducked' }, actions: ['duck'] }
  }
  if (state.phase === 'ducked' && atMs - state.lastVoiceMs >= unduckAfterMs) {
    return { state: newInterrupting, actions: ['unduck'] }
  }
  return { state, actions: [] }
}

function decideStopped(state: InterruptState, atMs: number, settings: InterruptSettings): Step {
  const { language, backchannels } = settings
  const silenceMs = atMs - Math.max(state.stoppedMs, state.lastVoiceMs)
  const hasWords = state.text.trim() !== ''
  if (hasWords && !isBackchannel(state.text, language, backchannels)) {
    return { state: newInterrupting, actions: ['confirm'] }
  }
  // A word that shows listening may be the first of a sentence, so it is decided when the caller is silent.
  if (silenceMs >= falseAfterMs) return { state: newInterrupting, actions: ['resume', 'unduck'] }
  return { state, actions: [] }
}
