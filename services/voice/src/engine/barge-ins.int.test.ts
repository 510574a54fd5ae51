import { seededRandom } from './seeded-random.fixture.ts'
import { startSimulatedCall } from './simulated-call.fixture.ts'

const interruptions = 1_000

const vocabulary =
  'the order delivery of your parcel will arrive tomorrow between nine and ten at the address that you gave us last week'.split(
    ' ',
  )

/** Sentences of some seconds. */
function randomAnswer(random: () => number): string {
  const words = Array.from({ length: 12 + Math.floor(20 * random()) }, () => {
    const word = vocabulary[Math.floor(vocabulary.length * random())] ?? ''
    return random() < 0.15 ? `${word},` : random() < 0.1 ? `${word}.` : word
  })
  return `${words.join(' ')}.`
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean)

/** A caller asks, interrupts the answer at a random moment, and interrupts again. */
function runCall(seed: number) {
  const random = seededRandom(seed)
  const simulated = startSimulatedCall({
    delayMs: Math.floor(120 * random()),
    settings: {
      interrupting: { sensitivity: 0.1 + 0.9 * random(), language: 'en', backchannels: [] },
      reminders: [],
    },
    answers: [randomAnswer(random), randomAnswer(random)],
  })
  const { clock } = simulated
  simulated.speak('When will it arrive?')
  clock.runUntil(2_000 + 5_000 * random())
  simulated.speak(random() < 0.2 ? 'mhm' : 'No wait, that is the wrong order.')
  clock.runUntil(clock.nowMs() + 4_000 + 4_000 * random())
  simulated.speak('Stop and listen to me please.')
  clock.runUntil(clock.nowMs() + 17_000)
  return simulated
}

it('writes exactly the words that the caller heard, at a thousand random interruptions', () => {
  let interrupted = 0
  let cutWords = 0
  for (let seed = 1; interrupted < interruptions; seed++) {
    const { ear, turns } = runCall(seed)
    const agent = turns.filter(({ role }) => role === 'agent')
    let at = 0
    for (const [i, { text, isInterrupted }] of agent.entries()) {
      for (const word of wordsOf(text)) {
        if (ear[at]?.text !== word) throw new Error(`Seed ${seed}: heard ${ear[at]?.text}, written ${word} of: ${text}`)
        at++
      }
      if (!isInterrupted) continue
      interrupted++
      // The ear may have one more: a word that was cut in its last 20 ms.
      const [following] = wordsOf(agent[i + 1]?.text ?? '')
      if (ear[at] !== undefined && ear[at]?.text !== following) {
        cutWords++
        at++
      }
    }
    expect({ seed, unwritten: ear.length - at }).toEqual({ seed, unwritten: 0 })
  }
  expect(cutWords).toBeLessThan(interruptions / 10)
}, 300_000)
