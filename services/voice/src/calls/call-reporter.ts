import type { CallCommand, CallEvent, Turn } from '../engine/call-events.ts'
import type { CallState, Piece, Utterance } from '../engine/call-state.ts'
import type { CallEventBody } from './call.ts'
import type { CallJournal } from './call-journal.ts'
import type { CallLine } from './call-line.ts'
import type { StoredTexts } from './stored-text.ts'
import { createLatencyTracker } from './turn-latency.ts'

/** Says what happens in a call: to the caller's side, and to the journal as it is stored. */
export interface CallReporter {
  begun(generation: number): void
  observe(event: CallEvent, commands: readonly CallCommand[], state: CallState): void
  turn(turn: Turn): void
}

export interface ReporterDeps {
  readonly journal: Pick<CallJournal, 'turn' | 'event' | 'speaks'>
  readonly show: CallLine['show']
  readonly texts: StoredTexts
  /** Turns of the workers before. */
  readonly writtenTurns: number
}

export function createCallReporter({ journal, show, texts, writtenTurns }: ReporterDeps): CallReporter {
  const latency = createLatencyTracker()
  let nextIndex = writtenTurns
  let phase: CallState['phase'] | null = null
  let pieces: readonly Piece[] | null = null
  const note = (kind: CallEventBody['kind'], atMs: number, body: CallEventBody['body']) =>
    journal.event({ kind, atMs: Math.round(atMs), body })

  function observeEvent(event: CallEvent): void {
    if (event.kind === 'recognized' && event.text !== '') {
      show({ type: 'transcript', role: 'caller', text: event.text, final: false })
      note('partial', event.atMs, { role: 'caller', text: texts.text(event.text) })
    }
    if (event.kind === 'tool-result') note('tool', event.atMs, { id: event.id, result: texts.text(event.text) })
  }

  function noteSpeech(utterance: Utterance | null): void {
    if ((utterance?.pieces ?? null) === pieces) return
    pieces = utterance?.pieces ?? null
    const known = pieces?.map(({ text, spoken, durationMs, isComplete, words }) => ({
      text,
      spoken,
      durationMs,
      isComplete,
      words,
    }))
    journal.speaks(
      utterance === null ? null : { utterance: utterance.id, startMs: utterance.startMs, pieces: known ?? [] },
    )
  }

  return {
    begun: (generation) => journal.event({ kind: 'status', atMs: null, body: { status: 'in_progress', generation } }),
    observe(event, commands, state) {
      latency.observe(event, commands)
      observeEvent(event)
      for (const command of commands) {
        if (command.kind !== 'call-tool') continue
        const { id, name } = command
        note('tool', event.atMs, { id, name, arguments: texts.arguments(command) })
      }
      noteSpeech(state.utterance)
      if (state.phase === phase || state.phase === 'ended') return
      phase = state.phase
      show({ type: 'state', state: phase })
    },
    turn(turn) {
      const index = nextIndex++
      const { role, endMs } = turn
      const measured = role === 'agent' ? latency.take() : null
      const written = texts.turn({ ...turn, index, latency: measured })
      journal.turn(written)
      show({ type: 'transcript', role, text: turn.text, final: true })
      note('turn', endMs, { index, role, text: written.text, interrupted: turn.isInterrupted })
      if (turn.isInterrupted) note('interruption', endMs, { index, said: written.text })
      if (measured !== null) note('latency', endMs, { index, ...measured })
    },
  }
}
