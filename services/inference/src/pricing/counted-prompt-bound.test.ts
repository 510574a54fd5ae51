import { countedPromptBound } from './counted-prompt-bound.ts'
import { textOnly } from './prompt-shape.ts'
import { allowances } from './prompt-upper-bound.ts'

const prompt = { tokens: 101, shape: { ...textOnly, items: 3, tools: 2, mediaParts: 1 }, imageTokensMax: 1_000 }

describe('countedPromptBound', () => {
  it('adds the frames to tokens of the model`s own vocabulary', () => {
    expect(countedPromptBound({ ...prompt, exact: true })).toBe(101 + allowances(prompt.shape, 1_000))
  })

  it('adds a margin for another vocabulary', () => {
    expect(countedPromptBound({ ...prompt, exact: false })).toBe(152 + allowances(prompt.shape, 1_000))
  })

  it('adds what is not text: sounds, and bytes that a model reads repeatedly', () => {
    const shape = { ...prompt.shape, soundParts: 1, soundLength: 50, repeatedBytes: 7 }
    const without = countedPromptBound({ ...prompt, exact: true })
    expect(countedPromptBound({ ...prompt, shape, exact: true })).toBe(without + 57)
  })

  it('is unlimited for content that is only referred to', () => {
    const shape = { ...prompt.shape, unbounded: true }
    expect(countedPromptBound({ ...prompt, shape, exact: true })).toBe(Number.MAX_SAFE_INTEGER)
  })
})
