import { createSimSynthesizer } from '../sim-speech/sim-synthesizer.ts'
import { newCall } from './call-state.ts'
import { sampleRate, scriptedWriter, startSimulatedCall, testSettings } from './simulated-call.fixture.ts'
import { step } from './step.ts'
import { createVirtualClock } from './virtual-clock.fixture.ts'

const earText = (words: readonly { readonly text: string }[]) => words.map(({ text }) => text).join(' ')

it('holds a conversation, and writes the words that both sides heard', () => {
  const simulated = startSimulatedCall({
    settings: { firstMessage: 'Hello, this is Ratchet. How can I help you?' },
    answers: ['Your order left us this morning. It will arrive tomorrow.', 'You are welcome, goodbye.'],
  })
  const { clock, turns, ear } = simulated
  clock.runUntil(5_000)
  simulated.speak('Where is my order?')
  clock.runUntil(12_000)
  simulated.speak('Thank you!')
  clock.runUntil(18_000)
  expect(turns.map(({ role, text, isInterrupted }) => [role, text, isInterrupted])).toEqual([
    ['agent', 'Hello, this is Ratchet. How can I help you?', false],
    ['caller', 'Where is my order?', false],
    ['agent', 'Your order left us this morning. It will arrive tomorrow.', false],
    ['caller', 'Thank you!', false],
    ['agent', 'You are welcome, goodbye.', false],
  ])
  expect(earText(ear)).toBe(earText(turns.filter(({ role }) => role === 'agent')))
})

it('answers within a second of the caller, of which its own parts are few milliseconds', () => {
  const simulated = startSimulatedCall({ answers: ['Yes it is open today.'] })
  const { clock, turns } = simulated
  clock.runUntil(1_000)
  simulated.speak('Is the shop open today?')
  const spokenUntil = 1_000 + simulated.mouthMs()
  clock.runUntil(9_000)
  const [first] = simulated.ear
  expect(turns.map(({ role }) => role)).toEqual(['caller', 'agent'])
  // 40 ms of line each way, silence of 450 ms (a sentence, no judge), 200 ms of model and its words, 100 ms of synthesis.
  const parts = 40 + 450 + 200 + 5 * 20 + 100 + 40
  expect((first?.startMs ?? 0) + 40 - spokenUntil).toBeLessThan(parts + 120)
})

it('stops when it is interrupted, keeps what was heard, and answers what was said', () => {
  const clock = createVirtualClock()
  const { writer, requests, drained } = scriptedWriter(clock, [
    'Let me explain everything about our delivery times and all of the places that we deliver to in detail.',
    'Of course, I will stop.',
  ])
  const simulated = startSimulatedCall({ clock, writer })
  clock.runUntil(500)
  simulated.speak('Tell me about delivery.')
  clock.runUntil(4_800)
  const interruptedAt = clock.nowMs()
  simulated.speak('Stop, that is too much.')
  clock.runUntil(14_000)
  const { turns, ear, volumes } = simulated
  expect(turns.map(({ role, isInterrupted }) => [role, isInterrupted])).toEqual([
    ['caller', false],
    ['agent', true],
    ['caller', false],
    ['agent', false],
  ])
  expect(earText(ear)).toBe(`${turns[1]?.text} ${turns[3]?.text}`)
  expect(requests[1]?.turns.map(({ text }) => text)).toEqual(turns.slice(0, 3).map(({ text }) => text))
  expect(drained()).toBe(0)
  expect(volumes[0]).toBe(-12)
  // Within the bound of its sensitivity, and one line delay each way.
  const lastBefore = ear.filter(({ endMs }) => endMs < interruptedAt + 2_000).at(-1)
  expect((lastBefore?.endMs ?? 0) - interruptedAt).toBeLessThan(420 + 80 + 60)
})

it('goes on after a sign of listening, from the clause that was cut', () => {
  const simulated = startSimulatedCall({
    settings: { interrupting: { sensitivity: 1, language: 'en', backchannels: [] } },
    answers: ['First we check your account. Then we send the form to you by mail.'],
  })
  const { clock, turns, ear } = simulated
  simulated.speak('What happens next?')
  clock.runUntil(5_000)
  simulated.speak('mhm')
  clock.runUntil(15_000)
  const agent = turns.filter(({ role }) => role === 'agent')
  expect(turns.map(({ role }) => role)).toEqual(['caller', 'agent', 'caller', 'agent'])
  expect(turns[2]?.text).toBe('mhm')
  expect(agent[0]?.isInterrupted).toBe(true)
  expect(agent[1]).toMatchObject({
    isInterrupted: false,
    text: expect.stringMatching(/we send the form to you by mail\.$/),
  })
  expect(earText(ear)).toBe(earText(agent))
})

it('takes keys as a turn of the caller', () => {
  const simulated = startSimulatedCall({ answers: ['Thank you, I have your number.'] })
  const { clock, call, turns } = simulated
  for (const key of '471#') {
    clock.runUntil(clock.nowMs() + 200)
    call.onKey(key)
  }
  clock.runUntil(6_000)
  expect(turns.map(({ text }) => text)).toEqual(['[keypad] 471#', 'Thank you, I have your number.'])
})

it('answers anew when the caller goes on before a word of the answer', () => {
  const simulated = startSimulatedCall({ answers: ['Never heard.', 'Berlin and Hamburg it is.'] })
  const { clock, turns, ear } = simulated
  simulated.speak('Book a trip to Berlin.')
  clock.runUntil(simulated.mouthMs() + 40 + 500)
  simulated.speak('And to Hamburg.')
  clock.runUntil(12_000)
  expect(turns.map(({ text }) => text)).toEqual(['Book a trip to Berlin. And to Hamburg.', 'Berlin and Hamburg it is.'])
  expect(earText(ear)).toBe('Berlin and Hamburg it is.')
})

it('tries the fallback, apologizes and ends when no model answers', () => {
  const failed = startSimulatedCall({ answers: ['fail', 'Here I am.'] })
  failed.speak('Hello?')
  failed.clock.runUntil(8_000)
  expect(failed.turns.at(-1)?.text).toBe('Here I am.')

  const silent = startSimulatedCall({ answers: ['silence', 'silence'] })
  silent.speak('Hello?')
  silent.clock.runUntil(60_000)
  const { filler, apology } = testSettings.lines
  expect(silent.turns.map(({ text }) => text)).toEqual(['Hello?', filler, apology])
  expect(silent.ends).toEqual(['llm_failed'])
})

it('asks models that fail again for fifteen seconds, behind one filler, before it ends', () => {
  const { filler, apology } = testSettings.lines
  const back = startSimulatedCall({ answers: [...Array.from({ length: 5 }, () => 'fail'), 'Here I am again.'] })
  back.speak('Hello?')
  back.clock.runUntil(30_000)
  expect(back.turns.slice(0, 3).map(({ text }) => text)).toEqual(['Hello?', filler, 'Here I am again.'])
  expect(back.ends).toEqual([])

  const clock = createVirtualClock()
  const { writer, requests } = scriptedWriter(
    clock,
    Array.from({ length: 100 }, () => 'fail'),
  )
  const away = startSimulatedCall({ clock, writer })
  away.speak('Hello?')
  away.clock.runUntil(60_000)
  expect(away.turns.map(({ text }) => text)).toEqual(['Hello?', filler, apology])
  expect(away.ends).toEqual(['llm_failed'])
  expect(requests.length).toBeGreaterThan(8)
  expect(requests.length).toBeLessThan(13)
})

it('speaks through the fallback when a synthesizer is silent or fails, and ends without any', () => {
  const clock = createVirtualClock()
  const works = createSimSynthesizer({ sampleRate, schedule: clock.schedule, firstAudioMs: 100 })
  const half = startSimulatedCall({
    clock,
    settings: { firstMessage: 'Good morning to you.' },
    synthesizer: { speak: (request, events) => (request.isRetry ? works.speak(request, events) : () => undefined) },
  })
  clock.runUntil(12_000)
  expect(half.turns.map(({ text }) => text)).toEqual(['Good morning to you.'])

  const none = startSimulatedCall({
    settings: { firstMessage: 'Good morning to you.' },
    synthesizer: { speak: () => () => undefined },
  })
  none.clock.runUntil(20_000)
  expect(none.ends).toEqual(['tts_failed'])
})

it('lets the fallback finish a clause of which the first synthesizer spoke a part', () => {
  const clock = createVirtualClock()
  const works = createSimSynthesizer({ sampleRate, schedule: clock.schedule, firstAudioMs: 100 })
  const { turns, ear } = startSimulatedCall({
    clock,
    settings: { firstMessage: 'Good morning to you, how are you today?' },
    synthesizer: {
      speak(request, events) {
        let chunks = 0
        return works.speak(request, {
          ...events,
          onAudio(pcm, words) {
            chunks++
            if (request.isRetry || chunks <= 4) events.onAudio(pcm, words)
            if (!request.isRetry && chunks === 5) events.onFailed()
          },
          onEnd: () => request.isRetry && events.onEnd(),
        })
      },
    },
  })
  clock.runUntil(12_000)
  expect(turns.map(({ text, isInterrupted }) => [text, isInterrupted])).toEqual([
    ['Good morning to you, how are you today?', false],
  ])
  expect(earText(ear)).toBe('Good morning to you, how are you today?')
})

it('reminds a silent caller, and ends the call after the whole silence', () => {
  const { clock, turns, ends } = startSimulatedCall({ settings: { firstMessage: 'Hello there.' } })
  clock.runUntil(40_000)
  expect(turns.map(({ text }) => text)).toEqual(['Hello there.', 'Are you still there?'])
  expect(ends).toEqual(['silence'])
})

it('keeps what a caller says during a first message that cannot be interrupted', () => {
  const simulated = startSimulatedCall({
    settings: { firstMessage: 'This call is recorded for quality purposes.', isFirstMessageInterruptible: false },
    answers: ['I can help with that.'],
  })
  simulated.clock.runUntil(300)
  simulated.speak('I need help.')
  simulated.clock.runUntil(10_000)
  expect(simulated.turns.map(({ text }) => text)).toEqual([
    'This call is recorded for quality purposes.',
    'I need help.',
    'I can help with that.',
  ])
})

it('writes what was heard until the caller hangs up or the time is over', () => {
  const gone = startSimulatedCall({ settings: { firstMessage: 'Welcome to the longest greeting of the world.' } })
  gone.clock.runUntil(1_500)
  gone.call.onGone()
  gone.clock.runUntil(9_000)
  expect(gone.ends).toEqual([null])
  expect(gone.turns).toHaveLength(1)
  expect(gone.turns[0]).toMatchObject({ isInterrupted: true, text: expect.stringMatching(/^Welcome to the/) })

  const long = startSimulatedCall({ settings: { maxDurationMs: 5_000 } })
  long.clock.runUntil(9_000)
  expect(long.ends).toEqual(['max_duration'])
})

it('is made again, command for command, of its recorded events', () => {
  const simulated = startSimulatedCall({ settings: { firstMessage: 'Hello.' }, answers: ['A first answer, for you.'] })
  simulated.speak('Is it me?')
  simulated.clock.runUntil(9_000)
  let state = newCall
  const settings = { ...testSettings, firstMessage: 'Hello.' }
  const turns = simulated.events.flatMap((event) => {
    const next = step(state, event, settings)
    state = next.state
    return next.commands.flatMap((command) => (command.kind === 'commit-turn' ? [command.turn] : []))
  })
  expect(turns).toEqual(simulated.turns)
})

it('says a line that it was told to say: behind what it is saying, or instead of the rest', () => {
  const simulated = startSimulatedCall({ settings: { firstMessage: 'One two three four five six seven eight.' } })
  const { clock, call, ear, turns } = simulated
  clock.runUntil(1_000)
  call.say('Please hold the line.', false)
  clock.runUntil(5_500)
  expect(ear.map(({ text }) => text).join(' ')).toBe('One two three four five six seven eight. Please hold the line.')
  call.say('A long line that nobody hears to its end, because another one is urgent.', false)
  clock.runUntil(7_000)
  call.say('Stop.', true)
  clock.runUntil(9_000)
  expect(turns.at(-1)?.text).toBe('Stop.')
  expect(turns.at(-2)?.isInterrupted).toBe(true)
  expect(ear.map(({ text }) => text).join(' ')).toContain(turns.at(-2)?.text)
})

it('ends when it is told to, with what was heard until then', () => {
  const simulated = startSimulatedCall({ settings: { firstMessage: 'One two three four five six seven eight.' } })
  simulated.clock.runUntil(1_500)
  simulated.call.end('insufficient_credits')
  expect(simulated.ends).toEqual(['insufficient_credits'])
  const heard = simulated.ear.map(({ text }) => text)
  expect(heard.length).toBeGreaterThan(2)
  expect(heard.join(' ')).toContain(simulated.turns[0]!.text)
})
