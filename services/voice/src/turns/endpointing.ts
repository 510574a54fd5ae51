import { type TextVote, textVote } from './text-votes.ts'

/** How the end of a caller's turn is found. */
export interface EndpointSettings {
  /**
   * `smart`: a model judges each pause. `vad`: silence and the words so far decide. `stt`: the recognizer says when a turn
   * is over.
   */
  readonly detector: 'smart' | 'vad' | 'stt'
  /** Silence after which a turn that is judged to be over ends. */
  readonly minEndpointMs: number
  /** Silence after which every turn ends; half as much again while digits or letters are dictated. */
  readonly maxEndpointMs: number
  readonly language: string
}

/** What happened on the caller's side. Times are milliseconds of one monotonic clock. */
export type EndpointEvent =
  /** @property probability of speech in the window that ended at `atMs`, from voice activity detection */
  | { readonly kind: 'voice'; readonly atMs: number; readonly windowMs: number; readonly probability: number }
  /** @property probability that the turn is over, of the pause that is judged or from the recognizer */
  | { readonly kind: 'verdict'; readonly atMs: number; readonly probability: number }
  /** The text of the whole turn so far. */
  | { readonly kind: 'text'; readonly atMs: number; readonly text: string; readonly isFinal: boolean }
  | { readonly kind: 'time'; readonly atMs: number }

export type EndpointAction =
  | { readonly kind: 'speech-began'; readonly atMs: number }
  /** The recognizer should finish what it has, and the model should judge the pause. */
  | { readonly kind: 'pause-began'; readonly atMs: number }
  /** The caller went on after a pause. */
  | { readonly kind: 'speech-resumed'; readonly atMs: number }
  /** @property silenceMs since the last window with speech */
  | { readonly kind: 'turn-ended'; readonly atMs: number; readonly silenceMs: number; readonly text: string }

export interface EndpointState {
  readonly phase: 'idle' | 'speaking' | 'pausing'
  /** Speech in a row while idle or pausing; silence in a row while speaking. */
  readonly changeMs: number
  /** End of the last window with speech. */
  readonly lastVoiceMs: number
  /** Of the present pause; null: none yet. */
  readonly verdict: number | null
  readonly text: string
}

export const newEndpointing: EndpointState = { phase: 'idle', changeMs: 0, lastVoiceMs: 0, verdict: null, text: '' }

const minSpeechProbability = 0.5
const maxSilenceProbability = 0.35
/** Speech, and silence, that last this long are no accident. */
export const changeAfterMs = 96
/** From this probability on, a pause is judged to be the end. */
export const minEndProbability = 0.5
const dictationFactor = 1.5

interface Step {
  readonly state: EndpointState
  readonly actions: readonly EndpointAction[]
}

/** The next state of a caller's turn. A pure function: the same events give the same actions. */
export function endpoint(state: EndpointState, event: EndpointEvent, settings: EndpointSettings): Step {
  const { state: changed, actions } = apply(state, event)
  if (changed.phase !== 'pausing') return { state: changed, actions }
  const silenceMs = event.atMs - changed.lastVoiceMs
  if (silenceMs < endpointWaitMs(changed, settings)) return { state: changed, actions }
  const ended: EndpointAction = { kind: 'turn-ended', atMs: event.atMs, silenceMs, text: changed.text.trim() }
  return { state: newEndpointing, actions: [...actions, ended] }
}

function apply(state: EndpointState, event: EndpointEvent): Step {
  if (event.kind === 'text') return { state: { ...state, text: event.text }, actions: [] }
  if (event.kind === 'verdict') return { state: { ...state, verdict: event.probability }, actions: [] }
  if (event.kind === 'time') return { state, actions: [] }
  return state.phase === 'speaking' ? whileSpeaking(state, event) : whileSilent(state, event)
}

type VoiceEvent = Extract<EndpointEvent, { kind: 'voice' }>

function whileSpeaking(state: EndpointState, { atMs, windowMs, probability }: VoiceEvent): Step {
  if (probability >= maxSilenceProbability) return { state: { ...state, changeMs: 0, lastVoiceMs: atMs }, actions: [] }
  const changeMs = state.changeMs + windowMs
  if (changeMs < changeAfterMs) return { state: { ...state, changeMs }, actions: [] }
  return {
    state: { ...state, phase: 'pausing', changeMs: 0, verdict: null },
    actions: [{ kind: 'pause-began', atMs }],
  }
}

function whileSilent(state: EndpointState, { atMs, windowMs, probability }: VoiceEvent): Step {
  if (probability < minSpeechProbability) return { state: { ...state, changeMs: 0 }, actions: [] }
  const changeMs = state.changeMs + windowMs
  if (changeMs < changeAfterMs) return { state: { ...state, changeMs }, actions: [] }
  return {
    state: { ...state, phase: 'speaking', changeMs: 0, lastVoiceMs: atMs, verdict: null },
    actions: [{ kind: state.phase === 'idle' ? 'speech-began' : 'speech-resumed', atMs }],
  }
}

/** Silence after which the present pause is the end of the turn. */
export function endpointWaitMs(state: Pick<EndpointState, 'verdict' | 'text'>, settings: EndpointSettings): number {
  const { minEndpointMs, maxEndpointMs, language } = settings
  const vote = textVote(state.text, language)
  const limit = maxEndpointMs * (vote === 'dictating' ? dictationFactor : 1)
  const wait = waitBeforeText(state.verdict, limit, settings)
  return Math.max(minEndpointMs, Math.min(limit, voted(wait, vote, minEndpointMs)))
}

function waitBeforeText(verdict: number | null, limit: number, { detector, minEndpointMs }: EndpointSettings): number {
  if (verdict !== null && verdict >= minEndProbability) return minEndpointMs
  return detector === 'vad' ? 2 * minEndpointMs : limit
}

/** What ends like a sentence halves what is left to wait; what ends in the middle of one doubles it. */
function voted(wait: number, vote: TextVote, minEndpointMs: number): number {
  if (vote === 'ended') return minEndpointMs + (wait - minEndpointMs) / 2
  return vote === 'open' ? 2 * wait : wait
}
