import type { BeepDetector } from '../voicemail/beep-detector.ts'
import type { Answerer } from '../voicemail/screen-answer.ts'
import type { CallCommand, CallEvent, EngineEnd, OutsideEnd, Turn } from './call-events.ts'
import type { CallSettings } from './call-settings.ts'
import { type CallState, newCall, resumedCall } from './call-state.ts'
import type {
  AnswerWriter,
  CallTransport,
  EndJudge,
  Recognizer,
  RecognizerEvents,
  SpeechDetector,
  Synthesizer,
  ToolCaller,
  TransportEvents,
} from './ports.ts'
import { createSpeechOrder, type SpeechOrder } from './speech-order.ts'
import { step } from './step.ts'

export interface CallDeps {
  readonly settings: CallSettings
  readonly transport: CallTransport
  readonly openRecognizer: (events: RecognizerEvents) => Recognizer
  readonly synthesizer: Synthesizer
  readonly writer: AnswerWriter
  readonly tools: ToolCaller
  readonly detector: SpeechDetector
  /** Null: no mailbox is looked for. */
  readonly beeps?: BeepDetector | null
  /** It is known who has answered. */
  readonly onAnswerer?: (by: Answerer) => void
  /** Null: no model judges pauses. */
  readonly endJudge: EndJudge | null
  /** A monotonic clock. */
  readonly nowMs: () => number
  /** A turn that will not change. */
  readonly onTurn: (turn: Turn) => void
  /** @param reason why the engine ended the call; null: the caller left, or the line was lost */
  readonly onEnd: (reason: EngineEnd | null) => void
  /** Every event, in order, with what follows from it: `step` makes the same call of the events again. */
  readonly record?: (event: CallEvent, commands: readonly CallCommand[], state: CallState) => void
  /** What was said before, when another process began the call. Its first message is said again. */
  readonly resumed?: { readonly turns: readonly Turn[]; readonly elapsedMs: number }
}

export interface Call extends TransportEvents {
  /** The line is connected. */
  answer(): void
  /** To be called every 20 ms. */
  tick(): void
  /** The agent says a line: once nobody speaks, or at once. */
  say(text: string, isAtOnce: boolean): void
  end(reason: OutsideEnd): void
}

/** By how much the agent's voice is lowered while the caller may be interrupting. */
export const duckDb = -12

type UntimedEvent = CallEvent extends infer Event ? (Event extends CallEvent ? Omit<Event, 'atMs'> : never) : never

/** Joins a line, recognition, synthesis and a model by the decisions of {@link step}. Ends by itself when the call does. */
export function createCall(deps: CallDeps): Call {
  const { settings, detector, nowMs } = deps
  const running: Running = {
    state: deps.resumed === undefined ? newCall : resumedCall(deps.resumed.turns),
    answeredMs: null,
    speaking: new Map(),
    order: createSpeechOrder(),
    answering: new Map(),
    queue: [],
  }
  const recognizer = deps.openRecognizer({
    onText: (text, isFinal) => happen({ kind: 'recognized', text, isFinal }),
    onFailed: () => happen({ kind: 'recognition-failed' }),
  })

  /** Takes events one after the other, also those that a command causes at once. */
  function happen(untimed: UntimedEvent): void {
    if (running.answeredMs === null || running.state.phase === 'ended') return
    const isOuter = running.queue.length === 0
    running.queue.push({ ...untimed, atMs: nowMs() - running.answeredMs } as CallEvent)
    if (!isOuter) return
    for (let event = running.queue[0]; event !== undefined; event = running.queue[0]) {
      takeEvent(event)
      running.queue.shift()
    }
  }

  function takeEvent(event: CallEvent): void {
    if (running.state.phase === 'ended') return
    const { state, commands } = step(running.state, event, settings)
    running.state = state
    deps.record?.(event, commands, state)
    const actions = { deps, running, recognizer, happen }
    for (const command of commands) carryOut(actions, command)
    if (state.phase === 'ended') end(actions, commands)
  }

  return {
    answer() {
      running.answeredMs = nowMs() - (deps.resumed?.elapsedMs ?? 0)
      happen({ kind: 'answered' })
    },
    tick: () => happen({ kind: 'time' }),
    onAudio(pcm) {
      if (running.answeredMs === null || running.state.phase === 'ended') return
      recognizer.push(pcm)
      if (deps.beeps?.push(pcm) === true) happen({ kind: 'beep' })
      for (const window of detector.push(pcm)) happen({ kind: 'voice', ...window })
    },
    onKey: (key) => happen({ kind: 'key', key }),
    onPlayed: (utterance, playedMs) => happen({ kind: 'played', utterance, playedMs }),
    onCleared: (utterance, playedMs) => happen({ kind: 'cleared', utterance, playedMs }),
    onText: (text) => happen({ kind: 'recognized', text, isFinal: true }),
    onGone: () => happen({ kind: 'gone' }),
    say: (text, isAtOnce) => happen({ kind: 'say', text, isAtOnce }),
    end: (reason) => happen({ kind: 'end', reason }),
  }
}

interface Running {
  state: CallState
  answeredMs: number | null
  /** Functions that end the pieces which are being synthesized. */
  readonly speaking: Map<number, () => void>
  readonly order: SpeechOrder
  /** Functions that let answers run out unheard. */
  readonly answering: Map<number, () => void>
  /** Events that wait for their turn; the first is being taken. */
  readonly queue: CallEvent[]
}

interface Actions {
  readonly deps: CallDeps
  readonly running: Running
  readonly recognizer: Recognizer
  readonly happen: (event: UntimedEvent) => void
}

type Action<Kind extends CallCommand['kind']> = (
  actions: Actions,
  command: Extract<CallCommand, { readonly kind: Kind }>,
) => void

const actionOf: { readonly [Kind in CallCommand['kind']]: Action<Kind> } = {
  'request-answer': requestAnswer,
  'call-tool': ({ deps, happen }, { kind: _, ...tool }) =>
    deps.tools.call(tool, (text) => happen({ kind: 'tool-result', id: tool.id, text })),
  'drain-answer'({ running }, { request }) {
    running.answering.get(request)?.()
    running.answering.delete(request)
  },
  speak,
  'cancel-speech'({ running }, { piece }) {
    running.speaking.get(piece)?.()
    running.speaking.delete(piece)
    running.order.end(piece)
  },
  clear: ({ deps }, { utterance }) => deps.transport.clear(utterance),
  duck: ({ deps }) => deps.transport.setVolume(duckDb),
  unduck: ({ deps }) => deps.transport.setVolume(0),
  'judge-pause'({ deps, recognizer, happen }) {
    recognizer.flush()
    deps.endJudge?.judge((probability) => happen({ kind: 'verdict', probability }))
  },
  'commit-turn': ({ deps }, { turn }) => deps.onTurn(turn),
  'note-answerer': ({ deps }, { by }) => deps.onAnswerer?.(by),
  'hang-up': ({ deps }) => deps.transport.hangUp(),
}

function carryOut(actions: Actions, command: CallCommand): void {
  // The table has, for each kind, a function of commands of that kind.
  const action = actionOf[command.kind] as (actions: Actions, command: CallCommand) => void
  action(actions, command)
}

function requestAnswer(
  { deps, running, happen }: Actions,
  { request, turns, isRetry, mayCallTools }: Extract<CallCommand, { readonly kind: 'request-answer' }>,
): void {
  const drain = deps.writer.answer(
    { turns, isRetry, mayCallTools },
    {
      onTools: (calls) => happen({ kind: 'answer-tools', request, calls }),
      onText: (text) => happen({ kind: 'answer-text', request, text }),
      onEnd: () => happen({ kind: 'answer-end', request }),
      onFailed: () => happen({ kind: 'answer-failed', request }),
    },
  )
  running.answering.set(request, drain)
}

function speak(
  { deps, running, happen }: Actions,
  { utterance, piece, text, isRetry }: Extract<CallCommand, { readonly kind: 'speak' }>,
): void {
  const { transport, synthesizer } = deps
  const { order } = running
  // A piece that is spoken again takes the place of its first try.
  running.speaking.get(piece)?.()
  order.begin(piece)
  const cancel = synthesizer.speak(
    { text, isRetry },
    {
      onAudio(pcm, words) {
        const durationMs = (pcm.length * 1000) / transport.sampleRate
        order.whenItsTurn(piece, () => {
          transport.play(utterance, pcm)
          happen({ kind: 'speech-audio', piece, durationMs, words })
        })
      },
      onEnd() {
        order.whenItsTurn(piece, () => {
          happen({ kind: 'speech-end', piece })
          order.end(piece)
        })
      },
      onFailed: () => happen({ kind: 'speech-failed', piece }),
    },
  )
  running.speaking.set(piece, cancel)
}

function end({ deps, running, recognizer }: Actions, commands: readonly CallCommand[]): void {
  for (const cancel of running.speaking.values()) cancel()
  for (const drain of running.answering.values()) drain()
  running.speaking.clear()
  running.answering.clear()
  recognizer.close()
  const hangUp = commands.find((command) => command.kind === 'hang-up')
  deps.onEnd(hangUp?.reason ?? null)
}
