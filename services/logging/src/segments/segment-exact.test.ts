import { segmentExact } from './segment-exact.ts'

describe('segmentExact', () => {
  it('is the beginning of the SHA-256 of the prompt', () => {
    expect(segmentExact('abc')).toBe('ba7816bf8f01cfea')
  })

  it('differs for prompts that differ in more than white space', () => {
    expect(segmentExact(' You  are\na bot.\n')).toBe(segmentExact('You are a bot.'))
    expect(segmentExact('You are a bot!')).not.toBe(segmentExact('You are a bot.'))
  })

  it('is none without a prompt', () => {
    expect(segmentExact('')).toBe('none')
    expect(segmentExact(' \n ')).toBe('none')
  })
})
