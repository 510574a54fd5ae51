import { mayLeaveMessage, newScreening, type ScreenAction, type ScreenEvent, screenAnswer } from './screen-answer.ts'

/** The other side speaks and is silent in turns, each for some milliseconds, beginning with silence; texts and beeps come at their times. */
function answer(
  parts: readonly number[],
  more: readonly (readonly [atMs: number, what: string])[] = [],
  language = 'en-US',
) {
  let state = newScreening(0)
  const found: (readonly [number, string])[] = []
  const ends = parts.map((_, i) => parts.slice(0, i + 1).reduce((sum, ms) => sum + ms, 0))
  const isSpeaking = (atMs: number) => ends.findIndex((end) => atMs <= end) % 2 === 1
  const take = (event: ScreenEvent) => {
    const { state: next, actions } = screenAnswer(state, event, language)
    state = next
    found.push(...actions.map((action): readonly [number, string] => [event.atMs, nameOf(action)]))
  }
  for (let atMs = 20; atMs <= (ends.at(-1) ?? 0); atMs += 20) {
    take({ kind: 'voice', atMs, windowMs: 20, probability: isSpeaking(atMs) ? 1 : 0 })
    for (const [at, what] of more) {
      if (at === atMs) take(what === 'beep' ? { kind: 'beep', atMs } : { kind: 'text', atMs, text: what })
    }
    take({ kind: 'time', atMs })
    if (mayLeaveMessage(state, atMs)) {
      found.push([atMs, 'message'])
      break
    }
  }
  return found
}

const nameOf = (action: ScreenAction) => (action.kind === 'greet' ? 'greet' : action.by)

it('greets a person who has greeted, after the pause that persons make', () => {
  expect(answer([800, 900, 8_000])).toEqual([
    [2_300, 'greet'],
    [6_000, 'human'],
  ])
})

it('greets a side that says nothing', () => {
  expect(answer([8_000])).toEqual([
    [2_500, 'greet'],
    [6_000, 'unknown'],
  ])
})

it('finds a machine by a long greeting, and leaves the message behind its beep', () => {
  const [found, message] = answer([500, 7_000, 1_000, 0, 5_000], [[9_000, 'beep']])
  expect(found?.[1]).toBe('machine')
  expect(found?.[0]).toBeGreaterThanOrEqual(4_000)
  expect(found?.[0]).toBeLessThan(4_100)
  expect(message).toEqual([9_400, 'message'])
})

it('finds a machine by what it says, also after it was taken for a person', () => {
  const said = [[3_000, 'You have reached Ann. Please leave a message after the tone.']] as const
  expect(answer([300, 700, 900, 2_000, 9_000], said)).toEqual([
    [1_600, 'greet'],
    [3_000, 'machine'],
    [6_900, 'message'],
  ])
})

it('leaves the message after a silence when there is no beep, and waits for the end of an announcement', () => {
  const found = answer([200, 9_000, 9_000])
  expect(found.map(([, what]) => what)).toEqual(['machine', 'message'])
  expect(found[1]?.[0]).toBe(9_200 + 3_000)
})

it('takes a beep for a machine, whatever was said', () => {
  expect(answer([200, 500, 6_000], [[1_000, 'beep']])).toEqual([
    [1_000, 'machine'],
    [1_400, 'message'],
  ])
})

it('takes long answers to the agent for those of a person', () => {
  expect(answer([300, 600, 700, 4_400, 2_000]).map(([, what]) => what)).toEqual(['greet', 'human'])
})

it.each([
  ['en-GB', "Hi, I can't come to the phone right now."],
  ['en-US', 'The person you are calling cannot take your call.'],
  ['de-DE', 'Guten Tag, bitte hinterlassen Sie eine Nachricht nach dem Signal.'],
  ['de-DE', 'Hier ist die Mailbox von Ann.'],
  ['es-ES', 'Deje su mensaje después de la señal.'],
  ['fr-FR', 'Vous êtes sur la messagerie de Jean.'],
])('knows what mailboxes say in %s: %s', (language, text) => {
  expect(answer([200, 700, 500], [[900, text]], language)).toContainEqual([900, 'machine'])
})

it.each([
  ['en-US', 'Hello, this is Ann, who is there?'],
  ['en-US', 'You have the wrong number.'],
  ['de-DE', 'Müller, guten Tag.'],
  ['es-ES', '¿Dígame?'],
  ['fr-FR', 'Allô, oui ?'],
])('takes what persons say in %s for no machine: %s', (language, text) => {
  expect(answer([200, 700, 500], [[900, text]], language).map(([, what]) => what)).not.toContain('machine')
})
