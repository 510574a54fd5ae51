import { promptText } from './prompt-text.ts'

describe('promptText', () => {
  it.each(['prose', 'secrets'] as const)('gives %s of the requested length, the same each time', (words) => {
    const text = promptText(words, 65_536)
    expect(Buffer.byteLength(text)).toBe(65_536)
    expect(promptText(words, 65_536)).toBe(text)
  })

  it('repeats no sentence of prose', () => {
    const sentences = promptText('prose', 65_536).split('. ')
    expect(new Set(sentences).size).toBe(sentences.length)
  })

  it('has values that look like secrets only where they are requested', () => {
    const assignments = (text: string) => text.match(/\w+=\w{16,}/g)?.length ?? 0
    expect(assignments(promptText('prose', 65_536))).toBe(0)
    expect(assignments(promptText('secrets', 65_536))).toBeGreaterThan(500)
  })
})
