import { seededRandom } from '@ratchet/testing/seeded-random'
import { generateCorpus } from './corpus/prompt-corpus.fixture.ts'
import { createTextMiner } from './text-miner.fixture.ts'

const labelOf = (text: string) => createTextMiner([]).assign(text).changed?.label

describe('the label of a family', () => {
  it.each([
    [
      'You are Ava, a support agent at Acme Corp. Help Maria Lopez (id 42).',
      'You are … a support agent at … Help … id …',
    ],
    [
      'Summarize the document in 5 bullets, for an executive.\n\nDocument: a b c',
      'Summarize the document in … bullets, for an executive. Document:',
    ],
    ['你是一个数学老师。', '你是一个数学老师。'],
    ['42', 'Prompts without words'],
    ['<doc>42</doc>', 'Prompts without words'],
  ])('of %j is %j', (prompt, label) => {
    expect(labelOf(prompt)).toBe(label)
  })

  it('has at most 80 characters and no digit, URL or id', () => {
    const miner = createTextMiner([])
    const labels = generateCorpus(seededRandom(3))
      .slice(0, 3000)
      .flatMap(({ text }) => miner.assign(text).changed?.label ?? [])
    expect(labels.filter((label) => !/^[^\d@]{1,80}$/.test(label))).toEqual([])
  })

  it('cuts long texts between words', () => {
    expect(labelOf(`You are ${'very '.repeat(40)}kind.`)).toBe(`You are ${'very '.repeat(14)}`.trimEnd().concat('…'))
  })
})
