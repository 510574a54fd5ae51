import fc from 'fast-check'
import { saidOf } from '../heard/utterance.ts'
import type { CallCommand, CallEvent } from './call-events.ts'
import { bounds } from './call-settings.ts'
import { newCall } from './call-state.ts'
import { testSettings } from './simulated-call.fixture.ts'
import { step } from './step.ts'

const settings = { ...testSettings, firstMessage: 'Hello, what can I do for you?' }

/** Any event, at any time, about requests, pieces and utterances that may exist or not. */
const number = fc.integer({ min: 1, max: 6 })
const text = fc.constantFrom(
  'yes',
  'stop that',
  'a longer text, with clauses. And more of it',
  '',
  'mhm',
  '---',
  '12 34',
)
const probability = fc.constantFrom(0, 0.4, 0.6, 1)
const words = fc.array(fc.record({ text: fc.constantFrom('a', 'Hello,', 'what'), endMs: fc.nat({ max: 900 }) }), {
  maxLength: 3,
})
const toolId = fc.constantFrom('t1', 't2')
const event = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('voice' as const),
      windowMs: fc.constant(32),
      probability,
      isEcho: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant('recognized' as const), text, isFinal: fc.boolean() }),
  fc.record({ kind: fc.constant('verdict' as const), probability }),
  fc.record({ kind: fc.constant('say' as const), text, isAtOnce: fc.boolean() }),
  fc.record({ kind: fc.constant('key' as const), key: fc.constantFrom('1', '#') }),
  fc.record({ kind: fc.constant('answer-text' as const), request: number, text }),
  fc.record({
    kind: fc.constant('answer-tools' as const),
    request: number,
    calls: fc.array(
      fc.record({
        id: toolId,
        name: fc.constantFrom('find_order', 'note', 'unknown', 'end_call'),
        arguments: fc.constant('{}'),
      }),
      { maxLength: 2 },
    ),
  }),
  fc.record({ kind: fc.constant('tool-result' as const), id: toolId, text }),
  fc.record({ kind: fc.constant('answer-end' as const), request: number }),
  fc.record({ kind: fc.constant('answer-failed' as const), request: number }),
  fc.record({ kind: fc.constant('speech-audio' as const), piece: number, durationMs: fc.nat({ max: 1_000 }), words }),
  fc.record({ kind: fc.constant('speech-end' as const), piece: number }),
  fc.record({ kind: fc.constant('speech-failed' as const), piece: number }),
  fc.record({ kind: fc.constant('played' as const), utterance: number, playedMs: fc.nat({ max: 3_000 }) }),
  fc.record({ kind: fc.constant('cleared' as const), utterance: number, playedMs: fc.nat({ max: 3_000 }) }),
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('time' as const) }) },
)
const history = fc.array(fc.tuple(event, fc.integer({ min: 0, max: 2_500 })), { maxLength: 120 })

function run(events: readonly CallEvent[]) {
  let state = newCall
  const commands: CallCommand[] = []
  for (const each of events) {
    const next = step(state, each, settings)
    state = next.state
    commands.push(...next.commands)
  }
  return { state, commands }
}

/** The call is answered, and then things happen after the times between them. */
function timed(drawn: readonly (readonly [object, number])[]): CallEvent[] {
  let atMs = 0
  const events = drawn.map(([each, afterMs]) => {
    atMs += afterMs
    return { ...each, atMs } as CallEvent
  })
  return [{ kind: 'answered', atMs: 0 }, ...events]
}

it('ends every call by itself when nothing more happens, whatever happened before', () => {
  fc.assert(
    fc.property(history, (drawn) => {
      const events = timed(drawn)
      const from = events.at(-1)?.atMs ?? 0
      // Fallbacks, apologies and the silence of the caller, one after the other.
      const endMs = from + 2 * (bounds.giveUpAfterMs + settings.silenceTimeoutMs + 10 * bounds.playoutAfterMs)
      for (let atMs = from + 100; atMs <= endMs; atMs += 100) events.push({ kind: 'time', atMs })
      expect(run(events).state.phase).toBe('ended')
    }),
    {
      numRuns: 150,
      // A synthesizer that falls silent in the middle of a piece.
      examples: [
        [[[{ kind: 'speech-audio', piece: 1, durationMs: 1, words: [] }, 0]]],
        // A line without a word, while a model is asked.
        [
          [
            [{ kind: 'key', key: '1' }, 0],
            [{ kind: 'say', text: '---', isAtOnce: true }, 0],
          ],
        ],
      ],
    },
  )
})

/** A call on a line with sound in which nothing is recognized, until it ends by itself. Pieces last a second and a half. */
function callWithMusic(isSound: (atMs: number) => boolean): {
  readonly commands: CallCommand[]
  readonly endedMs: number
} {
  const commands: CallCommand[] = []
  let state = newCall
  let playing = { utterance: 0, ofMs: 0, playedMs: 0 }
  const take = (event: CallEvent) => {
    const next = step(state, event, settings)
    state = next.state
    commands.push(...next.commands)
    for (const command of next.commands) answer(command, event.atMs)
  }
  const answer = (command: CallCommand, atMs: number) => {
    if (command.kind === 'speak') {
      const { utterance, piece } = command
      if (playing.utterance !== utterance) playing = { utterance, ofMs: 0, playedMs: 0 }
      playing.ofMs += 1_500
      take({ kind: 'speech-audio', piece, durationMs: 1_500, words: [], atMs })
      take({ kind: 'speech-end', piece, atMs })
    }
    if (command.kind === 'clear') take({ kind: 'cleared', ...playing, atMs })
  }
  take({ kind: 'answered', atMs: 0 })
  let atMs = 0
  for (; state.phase !== 'ended' && atMs < 600_000; atMs += 32) {
    take({ kind: 'voice', windowMs: 32, probability: isSound(atMs) ? 1 : 0, isEcho: false, atMs })
    if (playing.playedMs < playing.ofMs) {
      playing.playedMs = Math.min(playing.ofMs, playing.playedMs + 32)
      take({ kind: 'played', utterance: playing.utterance, playedMs: playing.playedMs, atMs })
    }
    if (atMs % 1_024 === 0) take({ kind: 'recognized', text: '', isFinal: true, atMs })
    take({ kind: 'time', atMs })
  }
  return { commands, endedMs: atMs }
}

it.each([0, 700])(
  'ends a call with music, which has a pause of %i ms each three seconds, as a silent one',
  (pauseMs) => {
    const { commands, endedMs } = callWithMusic((atMs) => atMs % 3_000 >= pauseMs)
    expect(commands.at(-1)).toEqual({ kind: 'hang-up', reason: 'silence' })
    expect(endedMs).toBeLessThan(settings.silenceTimeoutMs + 25_000)
    expect(commands.filter(({ kind }) => kind === 'clear').length).toBeLessThanOrEqual(2)
  },
)

it('writes of the agent only what was given to the synthesizer, and each turn once', () => {
  fc.assert(
    fc.property(history, (drawn) => {
      const { state, commands } = run([...timed(drawn), { kind: 'gone', atMs: 1_000_000 }])
      const written = commands.flatMap((command) => (command.kind === 'commit-turn' ? [command.turn] : []))
      expect(written).toEqual(state.turns)
      const said = saidOf(commands.flatMap((command) => (command.kind === 'speak' ? [command] : [])))
      const spoken = new Set(said.split(' '))
      for (const turn of written) {
        if (turn.role !== 'tool') expect(turn.text).not.toBe('')
        if (turn.role === 'agent') for (const word of turn.text.split(' ')) expect(spoken).toContain(word)
      }
    }),
  )
})

it('requests each answer and piece under a new number, ends what it requested, and does nothing after the end', () => {
  fc.assert(
    fc.property(history, (drawn) => {
      const { state, commands } = run([...timed(drawn), { kind: 'gone', atMs: 1_000_000 }])
      const requests = commands.flatMap((command) => (command.kind === 'request-answer' ? [command.request] : []))
      const pieces = commands.flatMap((command) =>
        command.kind === 'speak' && !command.isRetry ? [command.piece] : [],
      )
      expect(new Set(requests).size).toBe(requests.length)
      expect(new Set(pieces).size).toBe(pieces.length)
      expect(step(state, { kind: 'answered', atMs: 1_000_001 }, settings).commands).toEqual([])
      expect(commands.filter(({ kind }) => kind === 'hang-up').length).toBeLessThanOrEqual(1)
    }),
  )
})
