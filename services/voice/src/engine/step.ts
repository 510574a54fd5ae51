import { keypadTurn, passKeypadTime, pressKey } from '../keypad/collect-keys.ts'
import { commitUtterance, drainAnswer, hangUpNow, isSpeakable, sayLine } from './agent-speech.ts'
import { takeEnd, takeFailure, takeText, watchAnswer } from './answers.ts'
import type { CallCommand, CallEvent, EngineEnd } from './call-events.ts'
import { bounds, type CallSettings } from './call-settings.ts'
import { type CallState, callerText, type Draft } from './call-state.ts'
import { enterKeys, finishTurn, followTurn, writeCallerTurn } from './caller-turn.ts'
import { afterStop, followInterruption, stopUtterance, takeCleared } from './interruption.ts'
import { takeAudio, takePlayed, takeSpeechEnd, takeSpeechFailure, watchPlayout } from './playout.ts'
import { followScreening, greet, isScreened } from './screening.ts'
import { answerResults, takeToolRequest, takeToolResult, watchTools } from './tool-calls.ts'

/**
 * The next state of a call. A pure function without clock or I/O: the recorded events of a call give the same commands again.
 *
 * @returns the commands in the order in which they must be carried out
 */
export function step(
  before: CallState,
  event: CallEvent,
  settings: CallSettings,
): { readonly state: CallState; readonly commands: readonly CallCommand[] } {
  if (before.phase === 'ended') return { state: before, commands: [] }
  const draft: Draft = { state: before, commands: [] }
  take(draft, event, settings)
  commitTurns(draft)
  return draft
}

type Taker<Kind extends CallEvent['kind']> = (
  draft: Draft,
  event: Extract<CallEvent, { readonly kind: Kind }>,
  settings: CallSettings,
) => void

const takers: { readonly [Kind in CallEvent['kind']]: Taker<Kind> } = {
  answered: greet,
  voice(draft, event, settings) {
    followScreening(draft, event, settings)
    if (isScreened(draft, settings)) return
    followInterruption(draft, event, settings)
    followTurn(draft, event, settings)
  },
  verdict: followTurn,
  recognized: takeRecognized,
  'recognition-failed': takeDeafness,
  key: takeKey,
  beep: followScreening,
  'answer-text': takeText,
  'answer-tools': takeToolRequest,
  'tool-result': takeToolResult,
  'answer-end': takeEnd,
  'answer-failed': takeFailure,
  'speech-audio': takeAudio,
  'speech-end': takeSpeechEnd,
  'speech-failed': takeSpeechFailure,
  played: takePlayed,
  cleared: takeCleared,
  time: passTime,
  say: takeLine,
  end: (draft, { atMs, reason }) => endCall(draft, atMs, reason),
  gone: (draft, event) => leave(draft, event.atMs),
}

/** What still counts once the agent has said its last words. */
const inLastMoment: ReadonlySet<CallEvent['kind']> = new Set(['time', 'end', 'gone'])

function take(draft: Draft, event: CallEvent, settings: CallSettings): void {
  if (draft.state.leaving !== null && !inLastMoment.has(event.kind)) return
  // The table has, for each kind, a function of events of that kind.
  const taker = takers[event.kind] as (draft: Draft, event: CallEvent, settings: CallSettings) => void
  taker(draft, event, settings)
}

function takeRecognized(
  draft: Draft,
  { text, isFinal, atMs }: Extract<CallEvent, { readonly kind: 'recognized' }>,
  settings: CallSettings,
): void {
  if (text.trim() !== '') followScreening(draft, { kind: 'text', atMs, text }, settings)
  if (isScreened(draft, settings) || draft.state.phase === 'ended') return
  const { caller, endpointing } = draft.state
  const finals = isFinal && text.trim() !== '' ? [...caller.finals, text] : caller.finals
  const heard = { ...caller, finals, partial: isFinal ? '' : text }
  draft.state = { ...draft.state, caller: heard }
  // What is no word is no sign of life: recognizers report empty texts of noise and music.
  if (text.trim() !== '') draft.state = { ...draft.state, activeMs: atMs, remindersSaid: 0, falseStops: 0 }
  const spoken = callerText(draft.state.caller)
  followTurn(draft, { kind: 'text', atMs, text: spoken, isFinal }, settings)
  followInterruption(draft, { kind: 'text', atMs, text: spoken }, settings)
  // The recognizer heard a word where no speech was detected.
  if (isFinal && endpointing.phase === 'idle' && draft.state.caller.endedMs === null && spoken !== '') {
    draft.state = { ...draft.state, caller: { ...draft.state.caller, endedMs: atMs } }
  }
  if (isFinal) finishTurn(draft, atMs, settings)
}

/** Nobody can be understood any more: the agent says so, and the call ends. */
function takeDeafness(draft: Draft, { atMs }: { readonly atMs: number }, settings: CallSettings): void {
  drainAnswer(draft)
  if (draft.state.utterance?.stop != null) commitUtterance(draft, atMs)
  sayLine(draft, settings.lines.apology, { atMs, settings, isInterruptible: false, hangUp: 'stt_failed' })
}

function takeKey(
  draft: Draft,
  { key, atMs }: { readonly key: string; readonly atMs: number },
  settings: CallSettings,
): void {
  if (settings.keypad === null) return
  // A key says more clearly than a voice that the caller has the turn.
  if (draft.state.utterance?.isInterruptible === true) {
    stopUtterance(draft, atMs, 'confirmed')
    afterStop(draft, atMs, settings)
  }
  const { state, entry } = pressKey(draft.state.keypad, key, atMs, settings.keypad)
  draft.state = { ...draft.state, keypad: state, activeMs: atMs }
  if (entry !== null) takeEntry(draft, entry, atMs, settings)
}

function takeEntry(draft: Draft, entry: string, atMs: number, settings: CallSettings): void {
  enterKeys(draft, keypadTurn(entry), atMs)
  finishTurn(draft, atMs, settings)
}

function takeLine(
  draft: Draft,
  { text, isAtOnce, atMs }: Extract<CallEvent, { readonly kind: 'say' }>,
  settings: CallSettings,
): void {
  // Nothing gives way to a line that cannot be heard.
  if (!isSpeakable(text, settings)) return
  draft.state = { ...draft.state, lines: [...draft.state.lines, { text, isAtOnce }] }
  if (isAtOnce) stopUtterance(draft, atMs, 'confirmed')
  sayLines(draft, atMs, settings)
}

/** Says what the agent was told to say, when its turn has come. */
function sayLines(draft: Draft, atMs: number, settings: CallSettings): void {
  const { lines, phase, utterance, endpointing, caller } = draft.state
  const [line, ...others] = lines
  if (line === undefined || utterance !== null) return
  const isSilent = phase === 'listening' && endpointing.phase === 'idle' && caller.endedMs === null
  if (!isSilent && !line.isAtOnce) return
  drainAnswer(draft)
  draft.state = { ...draft.state, lines: others }
  sayLine(draft, line.text, { atMs, settings, isInterruptible: !line.isAtOnce })
}

function passTime(draft: Draft, { atMs }: { readonly atMs: number }, settings: CallSettings): void {
  const { leaving } = draft.state
  if (leaving !== null) {
    if (atMs - leaving.sinceMs >= bounds.tailMs) hangUpNow(draft, leaving.reason)
    return
  }
  followScreening(draft, { kind: 'time', atMs }, settings)
  if (draft.state.phase === 'ended') return
  if (isScreened(draft, settings)) {
    passScreenedTime(draft, atMs, settings)
    return
  }
  if (settings.keypad !== null) {
    const { state, entry } = passKeypadTime(draft.state.keypad, atMs, settings.keypad)
    draft.state = { ...draft.state, keypad: state }
    if (entry !== null) takeEntry(draft, entry, atMs, settings)
  }
  followTurn(draft, { kind: 'time', atMs }, settings)
  followInterruption(draft, { kind: 'time', atMs }, settings)
  afterStop(draft, atMs, settings)
  watchAnswer(draft, atMs, settings)
  watchTools(draft, atMs, settings)
  watchPlayout(draft, atMs, settings)
  finishTurn(draft, atMs, settings)
  answerResults(draft, atMs)
  sayLines(draft, atMs, settings)
  watchSilence(draft, atMs, settings)
  if (atMs >= settings.maxDurationMs) endCall(draft, atMs, 'max_duration')
}

/** Nothing of the other side is answered meanwhile. */
function passScreenedTime(draft: Draft, atMs: number, settings: CallSettings): void {
  draft.state = { ...draft.state, activeMs: atMs }
  afterStop(draft, atMs, settings)
  watchPlayout(draft, atMs, settings)
  if (atMs >= settings.maxDurationMs) endCall(draft, atMs, 'max_duration')
}

/** Reminds a silent caller, and ends a call without a word for too long, whatever voice activity detection says. */
function watchSilence(draft: Draft, atMs: number, settings: CallSettings): void {
  const { phase, activeMs, remindersSaid } = draft.state
  if (phase !== 'listening') return
  const silentMs = atMs - activeMs
  const reminder = settings.reminders[remindersSaid]
  if (reminder !== undefined && silentMs >= ((remindersSaid + 1) * settings.silenceTimeoutMs) / 3) {
    draft.state = { ...draft.state, remindersSaid: remindersSaid + 1 }
    sayLine(draft, reminder, { atMs, settings, isReminder: true })
  } else if (silentMs >= settings.silenceTimeoutMs) {
    endCall(draft, atMs, 'silence')
  }
}

function endCall(draft: Draft, atMs: number, reason: EngineEnd): void {
  if (draft.state.phase === 'ended') return
  leave(draft, atMs)
  hangUpNow(draft, reason)
}

/** The call is over: what was said until now is written. */
function leave(draft: Draft, atMs: number): void {
  drainAnswer(draft)
  commitUtterance(draft, atMs)
  writeCallerTurn(draft, atMs)
  draft.state = { ...draft.state, phase: 'ended' }
}

/** Writes the turns that cannot change any more: all but one of the caller that is just being answered. */
function commitTurns(draft: Draft): void {
  const { turns, committed, phase } = draft.state
  const count = phase === 'thinking' && turns.at(-1)?.role === 'caller' ? turns.length - 1 : turns.length
  if (count <= committed) return
  for (const turn of turns.slice(committed, count)) draft.commands.push({ kind: 'commit-turn', turn })
  draft.state = { ...draft.state, committed: count }
}
