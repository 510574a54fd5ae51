import { randomFromSeed } from '@ratchet/stats/random-from-seed'
import { createValues } from './corpus/values.fixture.ts'
import type { FamilyState } from './family-state.ts'
import { createTextMiner } from './text-miner.fixture.ts'

const FACTS = [
  'Orders before noon leave the same day.',
  'A lamp is repaired for ten years.',
  'Vegan dishes have a leaf.',
  'Please rinse the filter once a month.',
  'Assembly takes an hour.',
  'Call the courier if the parcel is wet.',
  'The spare key costs 40 euros.',
  'Check-out is at eleven.',
]
/** Three to six facts, others for each number. */
function facts(at: number): readonly string[] {
  const values = createValues(randomFromSeed(`facts ${at}`))
  return Array.from({ length: values.int(3, 6) }, () => values.pick(FACTS))
}
const days = ['2026-03-04 16:15', '5 October 2026', '2026-11-30 09:05', '24 June 2026']

type Template = (at: number) => string

const desk: Template = (at) =>
  `# Identity\nYou are Lumi, the voice of a shop. Today is ${days[at % 4]}.\n\n# Known\n${facts(at).join('\n')}\n\n# Answers\n1. Answer only from what is known.\n2. Use the language of the customer.`
const seller: Template = (at) => desk(at).replace('Use the language of the customer.', 'Recommend a product that fits.')
const readings: Template = (at) =>
  `Meter of ${['Ruth Okafor', 'Mei Lin', 'Carlos Pinto', 'Hana Sato'][at % 4]}\nTariff: ${['night', 'flex', 'green', 'basic', 'family'][at % 5]}\nReading: ${['high', 'low', 'usual', 'none', 'odd'][(at * 2) % 5]}\nWrite a friendly message of at most seventy words and mention one way to save.`

const sent = (template: Template, count = 40) => Array.from({ length: count }, (_, at) => template(at))

/** The family of each prompt; prompts of the lists alternate. */
function familiesOf(...lists: readonly (readonly string[])[]) {
  const miner = createTextMiner([])
  const found = lists.map((): string[] => [])
  for (const at of lists[0]?.keys() ?? []) {
    for (const [index, list] of lists.entries()) found[index]?.push(miner.assign(list[at] ?? '').familyId)
  }
  return found
}

describe('prompts that have lines in common', () => {
  it.each<[string, Template]>([
    ['facts below a heading, some of which instruct their reader', desk],
    ['a record with values out of a few', readings],
  ])('are one family: %s', (_title, template) => {
    const [ids = []] = familiesOf(sent(template))
    expect(new Set(ids.slice(20)).size).toBe(1)
  })

  it('are two families if an item of their lists differs, however their facts vary', () => {
    const [one = [], other = []] = familiesOf(sent(desk), sent(seller))
    expect(one.filter((id) => other.includes(id))).toEqual([])
    for (const ids of [one, other]) expect(new Set(ids.slice(20)).size).toBe(1)
  })

  it('are two families if only the line after a searched text differs', () => {
    const archive = (task: string) => (at: number) => `Archive.\nDocuments:\n\n${facts(at).join('\n\n')}\n\n${task}`
    const [one = [], other = []] = familiesOf(
      sent(archive('Tell what they say about the question, the oldest first.')),
      sent(archive('Build a timeline and leave out years without an event.')),
    )
    expect(one.filter((id) => other.includes(id))).toEqual([])
  })

  it('are a family of each of four roles', () => {
    const roles = ['a poet', 'a lawyer', 'a nurse', 'a pilot']
    const lists = roles.map((role) =>
      sent((at) => `# Role\nYou are ${role}.\n# Notes\n${facts(at).join('\n')}\n# Style\nBe brief and kind.`),
    )
    const found = familiesOf(...lists)
    const ofRoles = new Map(found.flatMap((ids, role) => ids.map((id) => [`${id} ${role}`, id] as const)))
    expect(new Set(ofRoles.values()).size).toBe(ofRoles.size)
  })
})

describe('families with layouts', () => {
  it('are found by a process that reads them as they were stored', () => {
    const [here, there] = [createTextMiner([]), createTextMiner([])]
    for (const prompt of [...sent(desk), ...sent(readings)]) {
      const { changed } = here.assign(prompt)
      if (changed !== null) there.absorb(JSON.parse(JSON.stringify(changed)) as FamilyState)
    }
    for (const at of [50, 51, 52, 53]) {
      expect(there.find(desk(at)).familyId).toBe(here.find(desk(at)).familyId)
      expect(there.find(readings(at)).familyId).toBe(here.find(readings(at)).familyId)
    }
  })
})

describe('families of a release without layouts', () => {
  const stored = new Map<string, FamilyState>()
  const before = createTextMiner([])
  const prompts = sent(desk, 12)
  for (const prompt of prompts) {
    const { changed } = before.assign(prompt)
    if (changed === null) continue
    const { parts: _parts, layouts: _layouts, ...rest } = changed
    stored.set(changed.id, { ...rest, rules: 4 })
  }

  it('keep their ids and their prompts', () => {
    const miner = createTextMiner([...stored.values()])
    for (const prompt of prompts) {
      const { familyId, isNew } = miner.assign(prompt)
      expect(isNew).toBe(false)
      expect(stored.has(familyId)).toBe(true)
    }
  })

  it('get their lines with their next prompt, and learn layouts from then on', () => {
    const miner = createTextMiner([...stored.values()])
    const [first = ''] = prompts
    expect(miner.assign(first).changed).toMatchObject({ rules: 6, parts: expect.any(Array) })
    const ids = sent(desk).map((prompt) => miner.assign(prompt).familyId)
    expect(new Set(ids.slice(25)).size).toBe(1)
  })
})
