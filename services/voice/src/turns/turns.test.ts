import fc from 'fast-check'
import {
  type EndpointAction,
  type EndpointEvent,
  type EndpointSettings,
  endpoint,
  endpointWaitMs,
  newEndpointing,
} from './endpointing.ts'
import { type InterruptAction, type InterruptEvent, interrupt, newInterrupting, stopAfterMs } from './interrupting.ts'
import { isBackchannel, textVote } from './text-votes.ts'

const settings: EndpointSettings = { detector: 'smart', minEndpointMs: 300, maxEndpointMs: 2_000, language: 'en-US' }
const windowMs = 32

/** Windows of 32 ms: speech where `isVoiced` says so. */
function windows(fromMs: number, untilMs: number, probability: number): EndpointEvent[] {
  const count = Math.floor((untilMs - fromMs) / windowMs)
  return Array.from({ length: count }, (_, i) => ({
    kind: 'voice',
    atMs: fromMs + (i + 1) * windowMs,
    windowMs,
    probability,
  }))
}

function run(events: readonly EndpointEvent[], own: Partial<EndpointSettings> = {}): EndpointAction[] {
  let state = newEndpointing
  return events.flatMap((event) => {
    const step = endpoint(state, event, { ...settings, ...own })
    state = step.state
    return step.actions
  })
}

const kinds = (actions: readonly EndpointAction[]) => actions.map(({ kind }) => kind)

describe('end of a turn', () => {
  const spoken = [...windows(0, 1_000, 0.9)]
  const text = (said: string): EndpointEvent => ({ kind: 'text', atMs: 1_000, text: said, isFinal: true })

  it('comes after the shortest silence when the pause is judged to be the end', () => {
    const verdict: EndpointEvent = { kind: 'verdict', atMs: 1_120, probability: 0.8 }
    const actions = run([...spoken, ...windows(992, 1_100, 0.1), verdict, ...windows(1_120, 3_500, 0.1)])
    expect(kinds(actions)).toEqual(['speech-began', 'pause-began', 'turn-ended'])
    expect(actions[0]).toEqual({ kind: 'speech-began', atMs: 96 })
    expect(actions[2]).toMatchObject({ silenceMs: expect.closeTo(316, -1.3) })
  })

  it('comes after the longest silence when it is not, and then always', () => {
    const verdict: EndpointEvent = { kind: 'verdict', atMs: 1_120, probability: 0.1 }
    const actions = run([...spoken, ...windows(992, 1_100, 0.1), verdict, ...windows(1_120, 4_000, 0.1)])
    expect(actions.at(-1)).toMatchObject({ kind: 'turn-ended', atMs: expect.closeTo(2_992, -2) })
  })

  it('waits again after a pause in which the caller went on', () => {
    const verdict: EndpointEvent = { kind: 'verdict', atMs: 1_900, probability: 0.9 }
    const actions = run([
      ...spoken,
      ...windows(992, 1_400, 0.1),
      ...windows(1_376, 1_700, 0.9),
      ...windows(1_696, 1_900, 0.1),
      verdict,
      ...windows(1_900, 2_600, 0.1),
    ])
    expect(kinds(actions)).toEqual(['speech-began', 'pause-began', 'speech-resumed', 'pause-began', 'turn-ended'])
  })

  it('is no end without speech, nor after a click', () => {
    expect(run([...windows(0, 3_000, 0.1), ...windows(3_000, 3_064, 0.9), ...windows(3_072, 6_000, 0.1)])).toEqual([])
  })

  it('waits by what the words say', () => {
    const wait = (said: string, verdict: number | null, detector: EndpointSettings['detector'] = 'smart') =>
      endpointWaitMs({ text: said, verdict }, { ...settings, detector })
    expect(wait('I need a', null)).toBe(2_000)
    expect(wait('I need help.', null)).toBe(1_150)
    expect(wait('I need help.', 0.9)).toBe(300)
    expect(wait('I need a', 0.9)).toBe(600)
    expect(wait('my number is 4 7 1', null)).toBe(3_000)
    expect(wait('I need help.', null, 'vad')).toBe(450)
    expect(wait('I need help', null, 'vad')).toBe(600)
    expect(wait('I need the', null, 'vad')).toBe(1_200)
  })

  it('ends every turn within the longest silence, whatever is judged and recognized', () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('verdict' as const), probability: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ kind: fc.constant('text' as const), text: fc.string(), isFinal: fc.boolean() }),
      fc.record({
        kind: fc.constant('voice' as const),
        windowMs: fc.constant(windowMs),
        probability: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (drawn) => {
        const events = drawn.map((each, i): EndpointEvent => ({ ...each, atMs: (i + 1) * windowMs }))
        const end = (events.length + 1) * windowMs
        const actions = run([...events, ...windows(end, end + 3_300, 0)])
        const began = actions.filter(({ kind }) => kind === 'speech-began').length
        expect(actions.filter(({ kind }) => kind === 'turn-ended')).toHaveLength(began)
      }),
    )
  })

  it('has the last text of the turn', () => {
    const actions = run([...spoken, text(' hello there. '), ...windows(992, 4_000, 0)])
    expect(actions.at(-1)).toMatchObject({ kind: 'turn-ended', text: 'hello there.' })
  })
})

describe('an interruption', () => {
  const own = { sensitivity: 0.5, language: 'en', backchannels: [] }

  function interrupted(events: readonly InterruptEvent[], sensitivity = 0.5) {
    let state = newInterrupting
    return events.flatMap((event) => {
      const step = interrupt(state, event, { ...own, sensitivity })
      state = step.state
      return step.actions.map((action): [InterruptAction, number] => [action, event.atMs])
    })
  }
  const voice = (fromMs: number, untilMs: number, probability = 0.9, isEcho = false): InterruptEvent[] =>
    windows(fromMs, untilMs, probability).map((window) => ({
      ...(window as { kind: 'voice' } & typeof window),
      isEcho,
    }))
  const text = (said: string, atMs: number): InterruptEvent => ({ kind: 'text', atMs, text: said })

  it('first lowers the voice, then stops, and is one when words are recognized', () => {
    const actions = interrupted([...voice(0, 600), text('stop, that is wrong', 700)])
    expect(actions.map(([action]) => action)).toEqual(['duck', 'stop', 'confirm'])
    expect(actions[0]?.[1]).toBeLessThanOrEqual(130)
    expect(actions[1]?.[1]).toBeLessThanOrEqual(420)
  })

  it('stops within 220 ms at the highest sensitivity, and never at 0', () => {
    expect(interrupted(voice(0, 600), 1)[1]).toEqual(['stop', 160])
    expect(interrupted([...voice(0, 6_000), text('stop', 6_000)], 0)).toEqual([])
  })

  it('stops at every sensitivity above 0', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 1, noNaN: true }), (sensitivity) => {
        const stop = interrupted(voice(0, 2_000), sensitivity).find(([action]) => action === 'stop')
        expect(stop?.[1]).toBeLessThan(stopAfterMs(sensitivity) + windowMs + 1)
      }),
    )
  })

  it('was none when the caller only shows listening, makes a sound without words, or is an echo', () => {
    const quiet = (from: number) => voice(from, from + 1_000, 0)
    const kindsOf = (events: readonly InterruptEvent[]) => interrupted(events).map(([action]) => action)
    expect(kindsOf([...voice(0, 600), text('mhm okay', 640), ...quiet(640)])).toEqual([
      'duck',
      'stop',
      'resume',
      'unduck',
    ])
    expect(kindsOf([...voice(0, 600), ...quiet(600)])).toEqual(['duck', 'stop', 'resume', 'unduck'])
    expect(kindsOf([...voice(0, 128), ...quiet(128)])).toEqual(['duck', 'unduck'])
    expect(kindsOf(voice(0, 600, 0.9, true))).toEqual([])
  })
})

it('votes by how a text ends', () => {
  expect(textVote('', 'en')).toBe('none')
  expect(textVote('I would like to', 'en-GB')).toBe('open')
  expect(textVote('Ich möchte und', 'de-DE')).toBe('open')
  expect(textVote('I would like that.', 'en')).toBe('ended')
  expect(textVote('well,', 'en')).toBe('open')
  expect(textVote('it is A B', 'en')).toBe('dictating')
  expect(textVote('it is 12', 'en')).toBe('dictating')
  expect(textVote('so do I', 'en')).toBe('none')
  expect(textVote('ma anche', 'it')).toBe('none')
})

it('knows signs of listening, alone and in a row, but not the beginning of a sentence', () => {
  expect(isBackchannel('Mhm.', 'en-US')).toBe(true)
  expect(isBackchannel('Okay, I see.', 'en')).toBe(true)
  expect(isBackchannel('Yeah but stop', 'en')).toBe(false)
  expect(isBackchannel('', 'en')).toBe(false)
  expect(isBackchannel('oki doki', 'en', ['Oki doki'])).toBe(true)
  expect(isBackchannel("D'accord", 'fr-CA')).toBe(true)
})
