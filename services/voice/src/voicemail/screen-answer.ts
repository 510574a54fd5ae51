import { baseLanguage } from '@ratchet/contracts/voice/languages'

/** Who has answered a call that was dialed. `unknown`: the agent talks as to a person. */
export type Answerer = 'human' | 'machine' | 'unknown'

/** What is known of whoever answered. Times are milliseconds of the call. */
export interface Screening {
  /**
   * `deciding`: the agent waits with its first message. `greeted`: it speaks, and a machine can still be found. `machine`: it waits for
   * the moment to leave its message.
   */
  readonly phase: 'deciding' | 'greeted' | 'machine' | 'over'
  readonly sinceMs: number
  /** The speech that goes on, pauses within it included; null: nobody has spoken. */
  readonly speech: { readonly startMs: number; readonly lastMs: number } | null
  readonly foundMs: number | null
  readonly beepMs: number | null
}

export type ScreenEvent = { readonly atMs: number } & (
  | { readonly kind: 'voice'; readonly windowMs: number; readonly probability: number }
  | { readonly kind: 'text'; readonly text: string }
  /** A beep has ended. */
  | { readonly kind: 'beep' }
  | { readonly kind: 'time' }
)

/** `greet`: the agent begins. A finding is final. */
export type ScreenAction = { readonly kind: 'greet' } | { readonly kind: 'found'; readonly by: Answerer }

const minProbability = 0.5
/** Persons pause after a greeting; announcements go on. */
const pauseMs = 600
const longGreetingMs = 3_500
/** Shorter sounds are no greeting. */
const minGreetingMs = 100
/** Nobody speaks: the agent begins. */
const silentMs = 2_500
/** After that, a machine is not looked for any more. */
const windowMs = 6_000
/** From the end of the beep to the message. */
const afterBeepMs = 400
/** Without a beep: from the last word to the message, and from the answer. */
const silentMailboxMs = 3_000
const maxMailboxMs = 60_000

/** What mailboxes say and persons do not, by the language's first subtag. */
const announcements: Readonly<Record<string, RegExp>> = {
  en: /voice ?mail|leave (?:me |us |your |a )+(?:short |brief )?(?:message|name)|after the (?:tone|beep)|at the (?:tone|beep)|(?:not|n't|unable to|cannot) (?:available|come to the phone|take your call|answer)|you(?:'ve| have) reached|mailbox|record your message|the person you (?:are|have) (?:calling|called)|please try (?:again|your call) later/,
  de: /mailbox|anrufbeantworter|nach dem (?:signal|ton|piep)|hinterlassen sie|nachricht hinterlassen|nicht erreichbar|zurzeit nicht|sprachbox|rufen sie später/,
  es: /buzón|después de (?:la señal|oír la señal|el tono)|deje (?:su|un) (?:mensaje|nombre)|no (?:está|se encuentra) disponible|contestador|no puede atender/,
  fr: /messagerie|répondeur|après le (?:bip|signal)|laissez? (?:votre|un|moi un) (?:message|nom)|pas disponible|laisser un message|ne peu[tx] (?:pas )?(?:répondre|prendre)/,
}

export function newScreening(sinceMs: number): Screening {
  return { phase: 'deciding', sinceMs, speech: null, foundMs: null, beepMs: null }
}

/** Compares what is heard after the answer with how persons and machines answer. */
export function screenAnswer(
  before: Screening,
  event: ScreenEvent,
  language: string,
): { readonly state: Screening; readonly actions: readonly ScreenAction[] } {
  if (before.phase === 'over') return { state: before, actions: [] }
  const heard = withEvent(before, event)
  if (heard.phase === 'machine') return { state: heard, actions: [] }
  if (isMachine(heard, event, language)) {
    return { state: { ...heard, phase: 'machine', foundMs: event.atMs }, actions: [{ kind: 'found', by: 'machine' }] }
  }
  if (heard.phase === 'deciding') return decide(heard, event.atMs)
  if (event.atMs - heard.sinceMs < windowMs) return { state: heard, actions: [] }
  const by = heard.speech === null ? 'unknown' : 'human'
  return { state: { ...heard, phase: 'over' }, actions: [{ kind: 'found', by }] }
}

function withEvent(state: Screening, event: ScreenEvent): Screening {
  if (event.kind === 'beep') return { ...state, beepMs: event.atMs }
  if (event.kind !== 'voice' || event.probability < minProbability) return state
  const { atMs, windowMs: lengthMs } = event
  const goesOn = state.speech !== null && atMs - state.speech.lastMs < pauseMs
  return { ...state, speech: { startMs: goesOn ? (state.speech?.startMs ?? atMs) : atMs - lengthMs, lastMs: atMs } }
}

function isMachine({ phase, speech, sinceMs }: Screening, event: ScreenEvent, language: string): boolean {
  if (event.kind === 'beep') return true
  if (event.kind === 'text') {
    return announcements[baseLanguage(language)]?.test(event.text.toLowerCase().replaceAll('’', "'")) ?? false
  }
  const isLong = speech !== null && speech.lastMs - speech.startMs >= longGreetingMs
  // Once the agent has spoken, a long sentence is an answer to it.
  return phase === 'deciding' && isLong && event.atMs - sinceMs <= windowMs
}

function decide(state: Screening, atMs: number): { state: Screening; actions: readonly ScreenAction[] } {
  const { speech, sinceMs } = state
  const hasGreeted =
    speech !== null && speech.lastMs - speech.startMs >= minGreetingMs && atMs - speech.lastMs >= pauseMs
  const isSilent = speech === null && atMs - sinceMs >= silentMs
  if (!hasGreeted && !isSilent && atMs - sinceMs < windowMs) return { state, actions: [] }
  return { state: { ...state, phase: 'greeted' }, actions: [{ kind: 'greet' }] }
}

/** Whether a message that is spoken now is recorded. */
export function mayLeaveMessage({ phase, speech, sinceMs, foundMs, beepMs }: Screening, atMs: number): boolean {
  if (phase !== 'machine' || foundMs === null) return false
  if (atMs - sinceMs >= maxMailboxMs) return true
  const isSpeaking = speech !== null && atMs - speech.lastMs < pauseMs
  if (beepMs !== null) return atMs - beepMs >= afterBeepMs && !isSpeaking
  return atMs - Math.max(foundMs, speech?.lastMs ?? 0) >= silentMailboxMs
}
