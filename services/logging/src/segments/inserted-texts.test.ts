import type { FamilyState } from './family-state.ts'
import { createTextMiner } from './text-miner.fixture.ts'

const TEXTS = [
  'We waited for an hour. The soup was cold. Nobody said sorry.',
  'The room was clean. Breakfast was late. The lift is broken. My key did not work.',
  'Our flight was cancelled. They lost a suitcase. It was found in Rome.',
  'The app is slow. The map has no names.',
  'A waiter was rude to my son.',
]
const instructions = 'Rate the complaint from one to five. Justify the rating in one sentence.'

function familiesOf(prompts: readonly string[]) {
  const miner = createTextMiner([])
  return prompts.map((prompt) => miner.assign(prompt).familyId)
}

describe('a text without a heading', () => {
  it('is recognized when three of them differ between the same instructions', () => {
    const ids = familiesOf(TEXTS.map((text) => `${instructions}\n\n${text}`))
    expect(new Set(ids.slice(0, 2)).size).toBe(2)
    expect(new Set(ids.slice(2))).toEqual(new Set([ids[0]]))
  })

  it('is recognized before the instructions and between them too', () => {
    const before = familiesOf(TEXTS.map((text) => `${text}\n\n${instructions}`))
    const between = familiesOf(TEXTS.map((text) => `You help a hotel. ${instructions}\n${text}\nReply in French.`))
    for (const ids of [before, between]) expect(new Set(ids.slice(2)).size).toBe(1)
  })

  it('is recognized at once when the instructions point to it, or a heading announces it', () => {
    const below = TEXTS.map((text) => `Rate the complaint below from one to five. Justify the rating.\n\n${text}`)
    const listed = TEXTS.map((text) => `${instructions}\nEntry:\n${text}`)
    for (const prompts of [below, listed]) expect(new Set(familiesOf(prompts)).size).toBe(1)
  })

  it('is not assumed where applications differ in one statement or two', () => {
    const ids = familiesOf(
      ['The bank is closed.', 'The desk is staffed. The bank is open.', 'Most loans were small.', 'It was sold.'].map(
        (statement) => `You are the assistant of a bank. Write short sentences. ${statement}`,
      ),
    )
    expect(new Set(ids).size).toBe(4)
  })

  it.each([
    'Remember the following:',
    'Keep the following in mind.',
    'Use below one hundred words.',
    'Follow the rules below.',
  ])('is not what %j refers to', (pointer) => {
    const facts = ['Prices are in euros. Delivery is free.', 'The shop is closed. The owner is ill.']
    const ids = familiesOf(facts.map((fact) => `You help the customers of a shop. Be brief. ${pointer} ${fact}`))
    expect(ids[0]).not.toBe(ids[1])
  })

  it('is not assumed where the beginning of all texts is the same for each of two applications', () => {
    const remarks = TEXTS.map((text) => text.split('. ').slice(0, 2).join('. '))
    const guests = ['The guest was a child.', 'The guest was a judge.']
    const ids = familiesOf(remarks.flatMap((text) => guests.map((guest) => `${instructions} ${guest} ${text}`)))
    expect(ids.filter((id, index) => index % 2 === 0 && ids.lastIndexOf(id) % 2 === 1)).toEqual([])
  })

  it('makes no family of two applications that get the same texts', () => {
    const texts = Array.from({ length: 40 }, (_, at) =>
      [0, 1, 2, 3].map((part) => TEXTS[(at * (part + 1) + part) % TEXTS.length]).join(' '),
    )
    const tasks = ['Ask for a photo and for the date.', 'Score the text from one to five stars.']
    const ids = familiesOf(texts.flatMap((text) => tasks.map((task) => `${text}\n\n${task}`)))
    expect(ids.filter((id, index) => index % 2 === 0 && ids.lastIndexOf(id) % 2 === 1)).toEqual([])
  })
})

describe('a family of an earlier release', () => {
  it('gets the keys of its instructions by the present rules from its next prompt, and keeps those it has', () => {
    const prompt = `Rate the complaint below from one to five. Justify the rating.\n\n${TEXTS[0]}`
    const { changed } = createTextMiner([]).assign(prompt)
    const { frames: _frames, rules: _rules, ...rest } = changed as FamilyState
    const miner = createTextMiner([{ ...rest, tasks: ['earlier'] }])
    expect(miner.assign(prompt).changed?.tasks).toEqual(['earlier', ...(rest.tasks ?? [])])
    expect(miner.assign(prompt.replace('cold', 'hot')).familyId).toBe(rest.id)
  })
})

it('a company of one word belongs to the family that companies of two words have in German', () => {
  const prompt = (name: string) => `Du bist der Bot von ${name}. Antworte kurz und nenne keine Preise.`
  const [first, second, third] = familiesOf(['Hotel Adler', 'Zalora', 'Rosen'].map(prompt))
  expect(second).toBe(first)
  expect(third).not.toBe(first)
})
