import { systemPromptOf } from './system-prompt-of.ts'

describe('systemPromptOf', () => {
  it('joins the leading system and developer messages and the texts of their parts', () => {
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }, { type: 'image_url' }, 'Be exact.'] },
      { role: 'user', content: 'Hello' },
      { role: 'system', content: 'Too late.' },
    ]
    expect(systemPromptOf(messages)).toBe('Be kind.\nBe brief.\n\nBe exact.')
  })

  it.each([
    null,
    undefined,
    'x',
    {},
    [],
    [null],
    [{ role: 'user', content: 'x' }],
    [{ role: 'system' }],
    [{ role: 'system', content: 7 }],
  ])('is empty for %j', (messages) => {
    expect(systemPromptOf(messages)).toBe('')
  })
})
