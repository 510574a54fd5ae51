import { sampleRate, startSimulatedCall } from './simulated-call.fixture.ts'

const earText = (words: readonly { readonly text: string }[]) => words.map(({ text }) => text).join(' ')
const firstMessage = 'Hello, this is Ratchet. Do you have a minute?'
const announcement = 'You have reached Ann. Please leave a message after the tone, and I will call you back soon.'

const beep = Int16Array.from({ length: sampleRate / 2 }, (_, i) =>
  Math.round(8_000 * Math.sin((2 * Math.PI * 1_000 * i) / sampleRate)),
)

it('waits for the greeting of a person, and answers what they say then', () => {
  const simulated = startSimulatedCall({
    settings: { firstMessage, voicemail: { message: 'Please call back.' } },
    answers: ['That is good.'],
  })
  simulated.clock.runUntil(400)
  simulated.speak('Hello?')
  simulated.clock.runUntil(7_000)
  expect(earText(simulated.ear)).toBe(firstMessage)
  simulated.speak('Yes, I have.')
  simulated.clock.runUntil(14_000)
  expect(simulated.turns.map(({ role, text }) => [role, text])).toEqual([
    ['agent', firstMessage],
    ['caller', 'Yes, I have.'],
    ['agent', 'That is good.'],
  ])
  expect([simulated.answerers, simulated.ends]).toEqual([['human'], []])
})

it('leaves its message on a mailbox behind the beep, and hangs up', () => {
  const message = 'This is Ratchet. Please call back.'
  const simulated = startSimulatedCall({ settings: { firstMessage, voicemail: { message } } })
  simulated.clock.runUntil(300)
  simulated.speak(announcement)
  simulated.sound(new Int16Array(sampleRate / 2))
  simulated.sound(beep)
  const beepEndsMs = 300 + simulated.mouthMs()
  simulated.clock.runUntil(60_000)
  expect(earText(simulated.ear)).toBe(message)
  expect(simulated.ear[0]?.startMs).toBeGreaterThan(beepEndsMs)
  expect(simulated.turns.map(({ role, text }) => [role, text])).toEqual([['agent', message]])
  expect([simulated.answerers, simulated.ends]).toEqual([['machine'], ['voicemail']])
})

it('hangs up at once without a message', () => {
  const simulated = startSimulatedCall({ settings: { firstMessage, voicemail: { message: null } } })
  simulated.speak(announcement)
  simulated.clock.runUntil(20_000)
  expect(simulated.ear).toEqual([])
  expect([simulated.answerers, simulated.ends, simulated.turns]).toEqual([['machine'], ['voicemail'], []])
})

it('stops its first message when a mailbox that paused is found', () => {
  const message = 'This is Ratchet. Please call back.'
  const simulated = startSimulatedCall({ settings: { firstMessage, voicemail: { message } } })
  simulated.clock.runUntil(200)
  simulated.speak('Hello.')
  simulated.clock.runUntil(1_900)
  simulated.speak('Leave a message after the tone.')
  simulated.sound(beep)
  simulated.clock.runUntil(40_000)
  expect(earText(simulated.ear).endsWith(message)).toBe(true)
  expect([simulated.answerers, simulated.ends]).toEqual([['machine'], ['voicemail']])
})

it('talks as to a person when nobody speaks', () => {
  const simulated = startSimulatedCall({ settings: { firstMessage, voicemail: { message: null } } })
  simulated.clock.runUntil(9_000)
  expect(earText(simulated.ear)).toBe(firstMessage)
  expect([simulated.answerers, simulated.ends]).toEqual([['unknown'], []])
})

it('lets the model answer the greeting of a person when the caller speaks first', () => {
  const simulated = startSimulatedCall({
    settings: { firstMessage: null, voicemail: { message: null } },
    answers: ['Good day, this is Ratchet.'],
  })
  simulated.clock.runUntil(400)
  simulated.speak('Hello?')
  simulated.clock.runUntil(8_000)
  expect(simulated.turns.map(({ role, text }) => [role, text])).toEqual([
    ['caller', 'Hello?'],
    ['agent', 'Good day, this is Ratchet.'],
  ])
})

it('keeps what it had said to a mailbox on which it leaves nothing', () => {
  const simulated = startSimulatedCall({ settings: { firstMessage, voicemail: { message: null } } })
  // Nobody has spoken, so it has begun.
  simulated.clock.runUntil(4_000)
  simulated.sound(beep)
  simulated.clock.runUntil(40_000)
  const [turn, ...others] = simulated.turns
  expect([turn?.role, turn?.isInterrupted, others]).toEqual(['agent', true, []])
  expect(firstMessage.startsWith(turn?.text ?? '-')).toBe(true)
  expect([simulated.answerers, simulated.ends]).toEqual([['machine'], ['voicemail']])
})
