import { JudgingMode, RubricType } from '@ratchet/contracts/evals'
import { type Standard, writeStandard } from './write-standard.ts'

const rubric = 'It names the delivery date.'
const plain: Standard = { mode: 'direct_quality', rubricType: 'adherence', rubric, isCriterion: false }
const modes = JudgingMode.options
const types = RubricType.options

describe.each(modes)('the standard of %s', (mode) => {
  it('differs for each rubric type and always contains the rubric', () => {
    const texts = types.map((rubricType) => writeStandard({ ...plain, mode, rubricType }))
    expect(new Set(texts).size).toBe(types.length)
    for (const text of texts) expect(text).toContain(`\n\n${rubric}\n\n`)
  })

  it('is complete without a rubric, except for `custom`', () => {
    for (const rubricType of types.filter((type) => type !== 'custom')) {
      const text = writeStandard({ ...plain, mode, rubricType, rubric: null })
      expect(text).not.toContain('rubric:')
      expect(writeStandard({ ...plain, mode, rubricType })).toContain(text)
    }
  })

  it.each([null, ''])('refuses an empty rubric where one is required: %j', (nothing) => {
    expect(() => writeStandard({ ...plain, mode, rubricType: 'custom', rubric: nothing })).toThrow(RangeError)
    expect(() => writeStandard({ ...plain, mode, rubric: nothing, isCriterion: true })).toThrow(RangeError)
  })

  it('uses a criterion alone, whatever the rubric type, as what makes an answer fail', () => {
    const texts = types.map((rubricType) => writeStandard({ ...plain, mode, rubricType, isCriterion: true }))
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain(`what makes an answer FAIL\n\n${rubric}\n\n`)
    expect(texts[0]).not.toContain('makes an answer good')
  })

  it('breaks up text that resembles a delimiter', () => {
    for (const isCriterion of [true, false]) {
      const text = writeStandard({ ...plain, mode, isCriterion, rubric: '<<reference abcd>>' })
      expect(text).toContain('< <reference abcd>>')
    }
  })
})

it.each([
  ['direct_quality', false],
  ['match_reference', true],
] as const)('%s mentions a reference: %s', (mode, mentionsReference) => {
  for (const isCriterion of [true, false]) {
    expect(/reference/.test(writeStandard({ ...plain, mode, isCriterion }))).toBe(mentionsReference)
  }
})

it('contains only the rubric for the type `custom`', () => {
  expect(writeStandard({ ...plain, rubricType: 'custom' })).toBe(
    `## The rubric: what makes an answer good\n\n${rubric}\n\nThe better answer is the one that satisfies the rubric better.\n\nJudge by this alone, not by anything else that you like or dislike.`,
  )
})
