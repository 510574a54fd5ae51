import { adjustedRandIndex } from '@ratchet/testing/adjusted-rand-index'
import { cpuMs } from '@ratchet/testing/cpu-time'
import { seededRandom } from '@ratchet/testing/seeded-random'
import fc from 'fast-check'
import { generateCorpus, shuffle } from './corpus/prompt-corpus.fixture.ts'
import { OVERFLOW_FAMILY } from './family-miner.ts'
import type { FamilyState } from './family-state.ts'
import { segmentExact } from './segment-exact.ts'
import { createTextMiner } from './text-miner.fixture.ts'

const CORPUS = generateCorpus(seededRandom(7))
const TEXTS = CORPUS.map(({ text }) => text)
const SOME = TEXTS.slice(0, 1500)

/** A fake of the store: the families in the order of their founding. */
function createShelf() {
  const families = new Map<string, FamilyState>()
  return {
    put: (family: FamilyState | null) => (family === null ? undefined : families.set(family.id, family)),
    all: (): FamilyState[] => JSON.parse(JSON.stringify([...families.values()])),
  }
}

function assignAll(texts: readonly string[], options = {}) {
  const miner = createTextMiner([], options)
  return texts.map((text) => miner.assign(text).familyId)
}

describe('the families of a corpus whose families are known', () => {
  it.each([1, 2])('are found with an adjusted Rand index of at least 0.95: corpus %i', (seed) => {
    const corpus = generateCorpus(seededRandom(seed))
    const truth = corpus.map((prompt) => prompt.truth)
    expect(new Set(truth).size).toBeGreaterThanOrEqual(60)
    expect(corpus.length).toBeGreaterThanOrEqual(5000)
    const found = assignAll(corpus.map(({ text }) => text))
    expect(adjustedRandIndex(truth, found)).toBeGreaterThanOrEqual(0.95)
  })

  it.each([11])('are found in any order: order %i', (seed) => {
    const corpus = shuffle(CORPUS, seededRandom(seed))
    const truth = corpus.map((prompt) => prompt.truth)
    expect(adjustedRandIndex(truth, assignAll(corpus.map(({ text }) => text)))).toBeGreaterThanOrEqual(0.95)
  })

  it('never contain two tasks', () => {
    const found = assignAll(TEXTS)
    const tasks = new Map<string, Set<string>>()
    for (const [index, id] of found.entries()) {
      tasks.set(id, (tasks.get(id) ?? new Set()).add(CORPUS[index]?.truth ?? ''))
    }
    expect([...tasks.values()].filter((truths) => truths.size > 1)).toEqual([])
  })
})

describe('a family', () => {
  it('keeps its id through restarts: a miner that is reloaded at any point gives the same results', () => {
    const expected = assignAll(SOME)
    const shelf = createShelf()
    let miner = createTextMiner([])
    const answers = SOME.map((text, index) => {
      if (index % 397 === 0) miner = createTextMiner(shelf.all())
      const { familyId, changed } = miner.assign(text)
      shelf.put(changed)
      return familyId
    })
    expect(answers).toEqual(expected)
  })

  it('keeps every prompt that was once assigned to it, unless the whole family joined another one', () => {
    const miner = createTextMiner([], { rememberedPrompts: 0 })
    const first = SOME.map((text) => miner.assign(text).familyId)
    const second = SOME.map((text) => miner.assign(text).familyId)
    const later = Map.groupBy(second, (_, index) => first[index])
    for (const ids of later.values()) expect(new Set(ids).size).toBe(1)
    expect(SOME.map((text) => miner.assign(text).familyId)).toEqual(second)
  })

  it('never changes its label or its units', () => {
    const miner = createTextMiner([])
    const founded = new Map<string, FamilyState>()
    for (const text of SOME) {
      const { changed } = miner.assign(text)
      if (changed === null) continue
      const before = founded.get(changed.id) ?? changed
      founded.set(changed.id, before)
      expect(changed).toMatchObject({ label: before.label, units: before.units })
    }
  })

  it('is stored with each of its first eight prompts, and not after that', () => {
    const miner = createTextMiner([])
    const answers = Array.from({ length: 10 }, (_, day) => miner.assign(`You are a helpful bot. Today is day ${day}.`))
    expect(answers.map(({ isNew }) => isNew)).toEqual([true, ...Array.from({ length: 9 }, () => false)])
    expect(answers.map(({ changed }) => changed?.seen)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, undefined, undefined])
  })

  it('has the same id in every process, whatever the variable parts', () => {
    const [one] = assignAll(['You help Maria Lopez (id 42). Never mention prices.'])
    const [other] = assignAll(['You help Tom Smith (id 7). Never mention prices.'])
    expect(one).toMatch(/^seg_[0-9a-f]{16}$/)
    expect(other).toBe(one)
  })

  it('is the same for a prompt with a redacted secret and with another variable part', () => {
    const ids = assignAll([
      'Use the key [redacted] for calls. Never print it.',
      'Use the key k-9f83ab21 for calls. Never print it.',
    ])
    expect(ids[1]).toBe(ids[0])
  })

  it('is the same with and without remembered prompts', () => {
    expect(assignAll(SOME, { rememberedPrompts: 0 })).toEqual(assignAll(SOME))
  })
})

describe('a family that an earlier release founded', () => {
  const prompt = (list: string) => `You plan the work of a team. Delegate every task to one of them.\nAgents:\n${list}`
  const founded = (text: string): FamilyState => {
    const { changed } = createTextMiner([]).assign(text)
    if (changed === null) throw new Error('no family was founded')
    const { tasks: _tasks, frames: _frames, rules: _rules, ...earlier } = changed
    return earlier
  }

  it('keeps its prompts, and gets those with the same instructions when its next prompt has arrived', () => {
    const before = founded(prompt('- scout_1: searches the web\n- coder_2: writes programs'))
    const miner = createTextMiner([before])
    const other = prompt('- legal_desk: reads contracts, costs 5 euros')
    expect(miner.assign(prompt('- scout_1: searches the web\n- coder_2: writes programs'))).toMatchObject({
      familyId: before.id,
      changed: { tasks: expect.arrayContaining([expect.any(String)]) },
    })
    expect(miner.assign(other)).toMatchObject({ familyId: before.id, isNew: false })
  })

  it('stays separate when another family has its instructions already', () => {
    const texts = [prompt('- scout_1: searches the web'), prompt('- Legal: reads 5 contracts. Never signs.')]
    const [one, two] = texts.map(founded) as [FamilyState, FamilyState]
    expect(two.id).not.toBe(one.id)
    const miner = createTextMiner([one, two])
    expect(texts.map((text) => miner.assign(text).familyId)).toEqual([one.id, two.id])
    expect(texts.map((text) => miner.assign(text).familyId)).toEqual([one.id, two.id])
  })
})

describe('templates whose variable part no mask matches', () => {
  const opening = 'You write product texts for our shop. Keep them below one hundred words. Mention the guarantee.'
  /** They differ in more words than values are looked for in. */
  const products = Array.from({ length: 40 }, (_, index) => {
    const word = (from: number) => `${letters(index * from + from)}or`
    return `${word(1)} chair, the ${word(3)} table, the ${word(7)} lamp and the ${word(11)} shelf`
  })

  it('are learned after a dozen families of one prompt each', () => {
    const miner = createTextMiner([])
    const ids = products.map((product) => miner.assign(`${opening} Write about the ${product} today.`).familyId)
    expect(new Set(ids).size).toBe(12)
    expect(new Set(ids.slice(12))).toEqual(new Set([ids[0]]))
  })

  it('are not assumed when tasks recur', () => {
    const ids = assignAll(
      products.flatMap((product) => [1, 2, 3].map(() => `${opening} Write about the ${product} today.`)),
    )
    expect(new Set(ids).size).toBe(products.length)
  })
})

describe('tasks that look alike', () => {
  it.each([
    ['You are a helpful assistant.', 'You are a helpful translator.'],
    ['Answer in French.', 'Answer in German.'],
    ['You are a Looker expert.', 'You are a Terraform expert.'],
    ['Return {"name": "..."} for the text.', 'Return {"total": 1} for the text.'],
    ['Summarize the document.\n\nDocument: A river.', 'Translate the document.\n\nDocument: A river.'],
    ['Context: A river is wet. Summarize the context above.', 'Context: A river is wet. Translate the context above.'],
    ['Say PASS or FAIL.', 'Say YES or NO.'],
    ['请把下面的内容翻译成英文。', '请把下面的内容总结一下。'],
  ])('are two families: %j and %j', (one, other) => {
    expect(new Set(assignAll([one, other])).size).toBe(2)
  })
})

describe('a miner', () => {
  it('assigns an empty or blank prompt to none', () => {
    const miner = createTextMiner([])
    for (const text of ['', ' ', '\n\t\u00a0']) {
      expect(miner.assign(text)).toEqual({ familyId: 'none', exact: 'none', isNew: false, changed: null })
    }
  })

  it('assigns new prompts to one family after the maximum is reached, and still finds the known families', () => {
    const miner = createTextMiner([], { maxFamilies: 2 })
    const ids = ['You are a poet.', 'You are a pirate.', 'You are a judge.', 'You are a cook.', 'You are a poet.'].map(
      (text) => miner.assign(text),
    )
    expect(ids.slice(2, 4).map(({ familyId, changed }) => [familyId, changed])).toEqual([
      [OVERFLOW_FAMILY, null],
      [OVERFLOW_FAMILY, null],
    ])
    expect(ids[4]?.familyId).toBe(ids[0]?.familyId)
  })

  it('knows families that another process founded', () => {
    const [here, there] = [createTextMiner([]), createTextMiner([])]
    const { changed } = there.assign('You are a poet.')
    if (changed !== null) here.absorb(changed)
    expect(here.assign('You are a poet.').isNew).toBe(false)
  })

  it('never throws, and gives the same result for the same text', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc
        .array(
          fc.constantFrom(
            '<a>',
            '</a>',
            '<doc>',
            '```',
            '"""',
            '{"',
            '"}',
            '[{',
            '[1]',
            '\\',
            '# ',
            'Context:',
            'Name:',
            'You',
            'x',
            '9',
            ' ',
            '\ud800',
            '\udc00',
            'ß',
          ),
        )
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 8 }), (texts) => {
        expect(assignAll(texts)).toEqual(assignAll(texts))
      }),
    )
  })

  it.each([
    '<a>',
    '<doc>',
    '{"',
    '[{"a":',
    '```',
    '"',
    '\ud800',
    '7',
    'x',
    '. ',
    'You. ',
    'Name: ',
    'Context: ',
    '界',
    '# ',
    '[1] ',
  ])('reads a megabyte of %j within a second', (part) => {
    const text = part.repeat(Math.ceil(2 ** 20 / part.length))
    expect(cpuMs(() => expect(createTextMiner([]).assign(text).familyId).toMatch(/^seg_/))).toBeLessThan(1_000)
  })

  it('ignores differences of white space', () => {
    const blank = fc.array(fc.constantFrom(' ', '\t', '\u00a0', '\u2003'), { minLength: 1, maxLength: 4 })
    const ends = fc.constantFrom('\n', '\r\n', '\n\n', ' \n', '\n\t', '\u2028')
    fc.assert(
      fc.property(
        fc.constantFrom(...TEXTS),
        fc.infiniteStream(blank),
        fc.infiniteStream(ends),
        (text, blanks, breaks) => {
          const respaced = text.replace(/\s+/g, (run) =>
            run.includes('\n') ? (breaks.next().value ?? '\n') : (blanks.next().value?.join('') ?? ' '),
          )
          const [one, other] = [createTextMiner([]).assign(text), createTextMiner([]).assign(`\n${respaced} `)]
          expect(other).toEqual(one)
          expect(segmentExact(respaced)).toBe(one.exact)
        },
      ),
    )
  })

  it('finds the family of a prompt again when its lines are broken elsewhere', () => {
    const space = fc.constantFrom(' ', '\n', '\r\n')
    fc.assert(
      fc.property(fc.constantFrom(...TEXTS), fc.infiniteStream(space), (text, spaces) => {
        const respaced = text.replace(/\s+/g, () => spaces.next().value ?? ' ')
        const miner = createTextMiner([], { rememberedPrompts: 0 })
        const one = miner.assign(text)
        expect(miner.assign(respaced)).toMatchObject({ familyId: one.familyId, exact: one.exact })
      }),
    )
  })
})

describe('finding a family without assigning it', () => {
  it('finds what is assigned next, and changes nothing', () => {
    const [miner, untouched] = [createTextMiner([]), createTextMiner([])]
    for (const text of SOME) {
      const found = [miner.find(text), miner.find(text)].map(({ familyId }) => familyId)
      const { familyId } = miner.assign(text)
      expect(found).toEqual([familyId, familyId])
      expect(untouched.assign(text).familyId).toBe(familyId)
      if (familyId !== OVERFLOW_FAMILY) expect(miner.find(text).familyId).toBe(familyId)
    }
  })

  it('finds final families that remain, also by families as they were a while ago', () => {
    const [miner, late] = [createTextMiner([]), createTextMiner([])]
    const changes: (FamilyState | null)[] = []
    let finals = 0
    for (const [index, text] of SOME.entries()) {
      const change = changes[index - 50]
      if (change != null) late.absorb(change)
      const found = late.find(text)
      const { familyId, changed } = miner.assign(text)
      changes.push(changed)
      if (!found.isFinal) continue
      finals += 1
      expect(found.familyId).toBe(familyId)
    }
    expect(finals).toBeGreaterThan(500)
  })

  it('finds the overflow family, which is not final', () => {
    const miner = createTextMiner([], { maxFamilies: 1 })
    miner.assign('You answer questions about invoices. Be brief and polite to all customers.')
    expect(miner.find('Translate this text into French.')).toEqual({ familyId: 'seg_other', isFinal: false })
  })
})

describe('a workspace with very many families', () => {
  /** Prompts that share nothing but a sentence. */
  const distinct = (count: number) =>
    Array.from({ length: count }, (_, at) => {
      const words = Array.from({ length: 30 }, (_each, place) => `You must ${letters(at * 31 + place)} it.`)
      return ['You keep to these rules in every answer that you give.', ...words].join(' ')
    })

  it('stores units up to a maximum, and finds the families beyond it again', () => {
    const miner = createTextMiner([], { maxUnits: 100 })
    const found = distinct(8).map((text) => miner.assign(text))
    const units = found.map(({ changed }) => changed?.units.length ?? 0)
    expect(units.reduce((a, b) => a + b)).toBe(100)
    expect(units.at(-1)).toBe(0)
    for (const [index, text] of distinct(8).entries()) {
      expect(miner.find(text).familyId).toBe(found[index]?.familyId)
    }
  })

  it('places a prompt within 50 ms, however many families have the same units', () => {
    const sentences = Array.from(
      { length: 200 },
      (_, at) => `You must ${letters(at)} each line with ${letters(at * 7)}.`,
    )
    const { changed } = createTextMiner([]).assign(sentences.join(' '))
    const units = changed?.units ?? []
    expect(units.length).toBeGreaterThan(100)
    const siblings = Array.from({ length: 900 }, (_, at) => ({ id: `seg_${at}`, label: 'x', units: [...units, at] }))
    const miner = createTextMiner(siblings.map((each) => ({ ...each, seen: 2 as const, patterns: [], tasks: [] })))
    const prompts = Array.from({ length: 5 }, (_, at) => `${sentences.join(' ')} Never ${letters(at + 999)} a number.`)
    for (const text of prompts) expect(cpuMs(() => miner.find(text))).toBeLessThan(50)
  })
})

/** A word for a number. */
function letters(value: number): string {
  return [...value.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')
}
