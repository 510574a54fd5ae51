import { addText, endText, passTime } from '../wording/clauses.ts'
import { say, sayLine } from './agent-speech.ts'
import { bounds, type CallSettings } from './call-settings.ts'
import type { Answer, Draft } from './call-state.ts'
import { requestAnswer } from './caller-turn.ts'
import { beginTools } from './tool-calls.ts'

/** The answer that events are about; null when they are about an older one. */
function current({ state: { answer } }: Draft, request: number): Answer | null {
  return answer?.request === request && !answer.isEnded && answer.failedMs === null ? answer : null
}

interface OfRequest {
  readonly request: number
  readonly atMs: number
}

/** A model wrote more. */
export function takeText(
  draft: Draft,
  { request, text, atMs }: OfRequest & { readonly text: string },
  settings: CallSettings,
): void {
  const answer = current(draft, request)
  if (answer === null) return
  const { state: clauses, clauses: spoken } = addText(answer.clauses, text, atMs)
  draft.state = { ...draft.state, answer: { ...answer, clauses } }
  say(draft, spoken, atMs, settings)
}

/** A model has written all of its answer. */
export function takeEnd(draft: Draft, { request, atMs }: OfRequest, settings: CallSettings): void {
  const answer = current(draft, request)
  if (answer === null) return
  const { state: clauses, clauses: spoken } = endText(answer.clauses)
  draft.state = { ...draft.state, answer: { ...answer, clauses, isEnded: true } }
  say(draft, spoken, atMs, settings)
  // Once what was said before them is on its way, tools begin.
  if (beginTools(draft, atMs, settings)) return
  // An answer without a word: it is the caller's turn again.
  if (draft.state.phase === 'thinking') listen(draft, atMs)
}

function listen(draft: Draft, atMs: number): void {
  draft.state = { ...draft.state, phase: 'listening', answer: null, activeMs: atMs }
}

/**
 * A model failed: the fallback answers, and is asked again for a while, because a part of the system may be starting. Then the call
 * ends. What was said until then stays said.
 */
export function takeFailure(draft: Draft, { request, atMs }: OfRequest, settings: CallSettings): void {
  const answer = current(draft, request)
  if (answer === null) return
  if (answer.clauses.hasClause) {
    draft.state = { ...draft.state, answer: { ...answer, isEnded: true } }
    sayLine(draft, settings.lines.apology, { atMs, settings })
  } else if (!answer.isRetry) {
    askAgain(draft, answer, atMs)
  } else if (atMs + bounds.askAgainAfterMs <= answer.askedMs + bounds.retryAfterMs) {
    draft.state = { ...draft.state, answer: { ...answer, failedMs: atMs } }
  } else {
    draft.state = { ...draft.state, answer: { ...answer, isEnded: true } }
    sayLine(draft, settings.lines.apology, { atMs, settings, hangUp: 'llm_failed' })
  }
}

/** Asks the fallback for the same answer. */
function askAgain(draft: Draft, { askedMs, isFillerSaid }: Answer, atMs: number): void {
  const { phase } = draft.state
  requestAnswer(draft, atMs, { isRetry: true })
  const { answer } = draft.state
  if (answer !== null) draft.state = { ...draft.state, answer: { ...answer, askedMs, isFillerSaid } }
  // A filler may be under way.
  if (phase === 'speaking') draft.state = { ...draft.state, phase }
}

/** Bounds how long an answer is waited for: a filler, then the fallback, then the end. */
export function watchAnswer(draft: Draft, atMs: number, settings: CallSettings): void {
  const { answer, phase } = draft.state
  if (answer === null || answer.isEnded) return
  if (answer.failedMs !== null) {
    waitToAsk(draft, { ...answer, failedMs: answer.failedMs }, atMs, settings)
    return
  }
  const { state: clauses, clauses: spoken } = passTime(answer.clauses, atMs)
  draft.state = { ...draft.state, answer: { ...answer, clauses } }
  say(draft, spoken, atMs, settings)
  const waitedMs = atMs - answer.requestedMs
  if (spoken.length > 0 || answer.clauses.hasClause) return
  if (answer.isRetry && waitedMs >= bounds.giveUpAfterMs - bounds.retryAfterMs) {
    draft.commands.push({ kind: 'drain-answer', request: answer.request })
    draft.state = { ...draft.state, answer: null }
    sayLine(draft, settings.lines.apology, { atMs, settings, hangUp: 'llm_failed' })
    return
  }
  if (!answer.isRetry && waitedMs >= bounds.retryAfterMs) {
    draft.commands.push({ kind: 'drain-answer', request: answer.request })
    askAgain(draft, answer, atMs)
    return
  }
  if (!answer.isRetry && !answer.isFillerSaid && phase === 'thinking' && waitedMs >= bounds.fillerAfterMs) {
    draft.state = { ...draft.state, answer: { ...answer, clauses, isFillerSaid: true } }
    sayLine(draft, settings.lines.filler, { atMs, settings })
  }
}

/** A model failed. The caller hears that it takes a moment, and it is asked again. */
function waitToAsk(
  draft: Draft,
  answer: Answer & { readonly failedMs: number },
  atMs: number,
  settings: CallSettings,
): void {
  if (!answer.isFillerSaid && draft.state.phase === 'thinking' && atMs - answer.askedMs >= bounds.askAgainAfterMs) {
    draft.state = { ...draft.state, answer: { ...answer, isFillerSaid: true } }
    sayLine(draft, settings.lines.filler, { atMs, settings })
  }
  if (atMs - answer.failedMs >= bounds.askAgainAfterMs) {
    askAgain(draft, draft.state.answer ?? answer, atMs)
  }
}
